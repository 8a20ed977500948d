// Tensors of every dtype that a program can have go into a method and come out unchanged.

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using executorch::aten::ScalarType;

constexpr int32_t kElements = 3;

ProgramBuilder identity(ScalarType type, bool planned) {
  ProgramBuilder b;
  const auto number = static_cast<int8_t>(type);
  TensorOptions options;
  options.sizes = {kElements};
  options.scalar_type = number;
  const int x = planned ? b.add_planned_tensor({kElements}, number) : b.add_tensor(options);
  const int out = b.add_tensor(options);
  b.move(x, out);
  b.set_inputs({x});
  b.set_outputs({out});
  return b;
}

class MethodDtypesTest : public ::testing::TestWithParam<ScalarType> {};

TEST_P(MethodDtypesTest, PassesThrough) {
  for (const bool planned : {false, true}) {
    MethodHarness harness(identity(GetParam(), planned));
    ASSERT_TRUE(harness.ok());
    const size_t nbytes = kElements * elementSize(GetParam());
    const auto info = harness.method().method_meta().input_tensor_meta(0);
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->scalar_type(), GetParam());
    EXPECT_EQ(info->nbytes(), nbytes);

    // Whole bytes of zero and one are valid elements of every dtype.
    alignas(16) uint8_t bytes[kElements * 16] = {};
    for (size_t i = 0; i < nbytes; i += 2) {
      bytes[i] = 1;
    }
    executorch::aten::SizesType sizes[] = {kElements};
    executorch::aten::DimOrderType order[] = {0};
    executorch::aten::TensorImpl impl(GetParam(), 1, sizes, bytes, order);
    ASSERT_EQ(harness.method().set_input(EValue(executorch::aten::Tensor(&impl)), 0), Error::Ok);
    ASSERT_EQ(harness.method().execute(), Error::Ok);
    const auto& out = harness.method().get_output(0).toTensor();
    EXPECT_EQ(out.scalar_type(), GetParam());
    EXPECT_EQ(std::memcmp(out.const_data_ptr(), bytes, nbytes), 0);
  }
}

TEST_P(MethodDtypesTest, OtherDtypesAreRefused) {
  MethodHarness harness(identity(GetParam(), /*planned=*/true));
  ASSERT_TRUE(harness.ok());
  const ScalarType other = GetParam() == ScalarType::Float ? ScalarType::Int : ScalarType::Float;
  const TestTensor<float> input(other, {kElements}, {1, 2, 3});
  EXPECT_EQ(harness.method().set_input(input.value(), 0), Error::InvalidArgument);
}

std::string name_of(const ::testing::TestParamInfo<ScalarType>& info) {
  return toString(info.param);
}

INSTANTIATE_TEST_SUITE_P(
    Serialized, MethodDtypesTest,
    ::testing::Values(ScalarType::Byte, ScalarType::Char, ScalarType::Short, ScalarType::Int,
                      ScalarType::Long, ScalarType::Half, ScalarType::Float, ScalarType::Double,
                      ScalarType::ComplexHalf, ScalarType::ComplexFloat, ScalarType::ComplexDouble,
                      ScalarType::Bool, ScalarType::QInt8, ScalarType::QUInt8, ScalarType::QInt32,
                      ScalarType::BFloat16, ScalarType::QUInt4x2, ScalarType::QUInt2x4,
                      ScalarType::Bits16, ScalarType::Float8_e5m2, ScalarType::Float8_e4m3fn,
                      ScalarType::Float8_e5m2fnuz, ScalarType::Float8_e4m3fnuz, ScalarType::UInt16,
                      ScalarType::UInt32, ScalarType::UInt64),
    name_of);

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
