#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/sample_programs.h>
#include <executorch/runtime/executor/testing/test_kernels.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using Floats = std::vector<float>;
using Lines = std::vector<std::string>;

class MethodIoTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { register_test_kernels(); }
};

TEST_F(MethodIoTest, InputsMustBeSet) {
  MethodHarness harness(add_program({1}));
  ASSERT_TRUE(harness.ok());
  const auto one = float_tensor({1}, {1});
  EXPECT_EQ(harness.method().execute(), Error::InvalidArgument);
  ASSERT_EQ(harness.method().set_input(one.value(), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::InvalidArgument);
  EXPECT_EQ(harness.method().step(), Error::InvalidArgument);
  ASSERT_EQ(harness.method().set_input(one.value(), 1), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::Ok);
}

TEST_F(MethodIoTest, WrongInputsAreRefused) {
  MethodHarness harness(add_program({2, 3}));
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  const auto good = float_tensor({2, 3}, Floats(6));
  EXPECT_EQ(method.set_input(good.value(), 2), Error::InvalidArgument);
  EXPECT_EQ(method.set_inputs({good.value()}), Error::InvalidArgument);
  EXPECT_EQ(method.set_inputs({good.value(), good.value(), good.value()}), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(1.0), 0), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(), 0), Error::InvalidArgument);
  const TestTensor<int32_t> ints(ScalarType::Int, {2, 3}, std::vector<int32_t>(6));
  EXPECT_EQ(method.set_input(ints.value(), 0), Error::InvalidArgument) << "dtype";
  EXPECT_EQ(method.set_input(float_tensor({6}, Floats(6)).value(), 0), Error::InvalidArgument)
      << "rank";
  EXPECT_EQ(method.set_input(float_tensor({3, 2}, Floats(6)).value(), 0), Error::NotSupported)
      << "shape";
}

// Extensions show these words to users of other languages.
TEST_F(MethodIoTest, WrongInputsAreNamedInOneLine) {
  static std::vector<std::string> lines;
  internal::set_log_filter([](LogLevel, et_timestamp_t, const char*, const char*, size_t,
                              const char* message, size_t length) {
    lines.emplace_back(message, length);
    return true;
  });
  MethodHarness harness(add_program({1, 2, 2, 3}));
  ASSERT_TRUE(harness.ok());
  const auto said = [&](const EValue& input) {
    lines.clear();
    EXPECT_EQ(harness.method().set_input(input, 0), Error::InvalidArgument);
    return lines;
  };
  const TestTensor<int32_t> ints(ScalarType::Int, {1, 2, 2, 3}, std::vector<int32_t>(12));
  EXPECT_EQ(said(ints.value()), Lines{"Input 0 has dtype Int, expected Float"});
  EXPECT_EQ(said(float_tensor({12}, Floats(12)).value()),
            Lines{"Input 0 has shape (12) of 1 dimensions, expected 4 like (1, 2, 2, 3)"});
  EXPECT_EQ(said(float_tensor({1, 2, 2, 3}, Floats(12), {0, 2, 3, 1}).value()),
            Lines{"Input 0 has dim order (0, 2, 3, 1), expected (0, 1, 2, 3): the elements would "
                  "be read in the wrong order. Convert the tensor's memory format"});
  internal::set_log_filter(nullptr);
}

TEST_F(MethodIoTest, AnInputWithoutDataSetsTheShapeOfPlannedMemory) {
  MethodHarness harness(add_program({2, 3}, 1));
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  SizesType sizes[] = {1, 2};
  uint8_t dim_order[] = {0, 1};
  TensorImpl empty(ScalarType::Float, 2, sizes, nullptr, dim_order);
  EValue inputs[2];
  ASSERT_EQ(method.get_inputs(inputs, 2), Error::Ok);
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(method.set_input(EValue(Tensor(&empty)), i), Error::Ok);
    Tensor place = inputs[i].toTensor();
    ASSERT_EQ(place.numel(), 2);
    place.mutable_data_ptr<float>()[0] = 1;
    place.mutable_data_ptr<float>()[1] = 10;
  }
  ASSERT_EQ(method.execute(), Error::Ok);
  EXPECT_EQ(floats(method.get_output(0)), (Floats{2, 20}));
}

TEST_F(MethodIoTest, EachDimensionOfAnInputHasItsBound) {
  // Inputs are 16 x 4 at most; in the second program the marks say that the 4 is fixed.
  for (const bool is_fixed : {false, true}) {
    for (const bool planned : {false, true}) {
      ProgramBuilder b;
      const int other = b.add_planned_tensor({1, 2, 3});
      const int x = planned ? b.add_planned_tensor({16, 4}, 6, 1)
                            : b.add_tensor(unplanned_tensor({16, 4}, 1));
      if (is_fixed) {
        b.add_string("executorch.static_dims:@");  // Bit 4: after the three of `other`, the second.
      }
      b.set_inputs({other, x});
      b.set_outputs({x});
      MethodHarness harness(b);
      ASSERT_TRUE(harness.ok());
      Method& method = harness.method();
      const auto set = [&](std::vector<int32_t> sizes) {
        return method.set_input(float_tensor(sizes, Floats(64)).value(), 1);
      };
      for (const auto& good : std::vector<std::vector<int32_t>>{{16, 4}, {1, 4}, {0, 4}}) {
        EXPECT_EQ(set(good), Error::Ok);
      }
      for (const auto& bad : std::vector<std::vector<int32_t>>{
               {32, 2}, {8, 8}, {64, 1}, {17, 1}, {4, 5}, {1, 64}, {4}, {1, 16, 4}}) {
        EXPECT_NE(set(bad), Error::Ok);
      }
      const Error smaller = is_fixed ? Error::NotSupported : Error::Ok;
      EXPECT_EQ(set({16, 3}), smaller);
      EXPECT_EQ(set({8, 1}), smaller);
      // The same where the caller resizes the input itself.
      EValue inputs[2];
      ASSERT_EQ(set({16, 4}), Error::Ok);
      ASSERT_EQ(method.get_inputs(inputs, 2), Error::Ok);
      const auto resize = [&](SizesType rows, SizesType columns) {
        const SizesType sizes[] = {rows, columns};
        return resize_tensor(inputs[1].toTensor(), {sizes, 2});
      };
      EXPECT_EQ(resize(8, 8), Error::NotSupported);
      EXPECT_EQ(resize(32, 2), Error::NotSupported);
      EXPECT_EQ(resize(16, 3), smaller);
      EXPECT_EQ(resize(7, 4), Error::Ok);
      EXPECT_EQ(inputs[1].toTensor().size(0), 7);
    }
  }
}

TEST_F(MethodIoTest, KernelsMayUseWhatThePlannedMemoryHasRoomFor) {
  ProgramBuilder b;
  const int middle = b.add_planned_tensor({16, 4}, 6, 1);
  b.set_inputs({});
  b.set_outputs({middle});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  const SizesType sizes[] = {8, 8};
  EXPECT_EQ(resize_tensor(harness.method().get_output(0).toTensor(), {sizes, 2}), Error::Ok);
}

TEST_F(MethodIoTest, AnInputWithoutDataOrMemoryIsRefused) {
  ProgramBuilder b;
  const int x = b.add_tensor(unplanned_tensor({2}));
  b.set_inputs({x});
  b.set_outputs({x});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  SizesType sizes[] = {2};
  uint8_t dim_order[] = {0};
  TensorImpl empty(ScalarType::Float, 1, sizes, nullptr, dim_order);
  EXPECT_EQ(harness.method().set_input(EValue(Tensor(&empty)), 0), Error::InvalidArgument);
}

TEST_F(MethodIoTest, MemoryFormatsAreNotReinterpreted) {
  MethodHarness harness(add_program({1, 2, 2, 3}));
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  const auto contiguous = float_tensor({1, 2, 2, 3}, Floats(12));
  EXPECT_EQ(method.set_input(contiguous.value(), 0), Error::Ok);
  const auto channels_last = float_tensor({1, 2, 2, 3}, Floats(12), {0, 2, 3, 1});
  EXPECT_EQ(method.set_input(channels_last.value(), 0), Error::InvalidArgument);
  const auto swapped = float_tensor({1, 2, 2, 3}, Floats(12), {0, 1, 3, 2});
  EXPECT_EQ(method.set_input(swapped.value(), 0), Error::InvalidArgument);
  const auto outer_swapped = float_tensor({1, 2, 2, 3}, Floats(12), {1, 0, 2, 3});
  EXPECT_EQ(method.set_input(outer_swapped.value(), 0), Error::Ok)
      << "a dimension of size 1 may stand anywhere";
}

TEST_F(MethodIoTest, MemoryFormatsThatMeanTheSameAreAccepted) {
  ProgramBuilder b;
  TensorOptions options = unplanned_tensor({2, 1, 4, 4});
  options.dim_order = {{0, 2, 3, 1}};
  b.set_inputs({b.add_tensor(options)});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  const auto contiguous = float_tensor({2, 1, 4, 4}, Floats(32));
  EXPECT_EQ(harness.method().set_input(contiguous.value(), 0), Error::Ok);
  const auto channels_last = float_tensor({2, 1, 4, 4}, Floats(32), {0, 2, 3, 1});
  EXPECT_EQ(harness.method().set_input(channels_last.value(), 0), Error::Ok);
  const auto transposed = float_tensor({2, 1, 4, 4}, Floats(32), {0, 1, 3, 2});
  EXPECT_EQ(harness.method().set_input(transposed.value(), 0), Error::InvalidArgument);
}

TEST_F(MethodIoTest, TensorsWithoutDimOrderAreContiguousOrTellByStrides) {
  ProgramBuilder b;
  TensorOptions options = unplanned_tensor({2, 3});
  options.dim_order = {{1, 0}};
  b.set_inputs({b.add_tensor(options)});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  SizesType sizes[] = {2, 3};
  float data[6] = {};
  TensorImpl plain(ScalarType::Float, 2, sizes, data);
  EXPECT_EQ(harness.method().set_input(EValue(Tensor(&plain)), 0), Error::InvalidArgument);
  int32_t strides[] = {1, 2};
  TensorImpl strided(ScalarType::Float, 2, sizes, data, nullptr, strides);
  EXPECT_EQ(harness.method().set_input(EValue(Tensor(&strided)), 0), Error::Ok);
  int32_t contiguous[] = {3, 1};
  TensorImpl wrong(ScalarType::Float, 2, sizes, data, nullptr, contiguous);
  EXPECT_EQ(harness.method().set_input(EValue(Tensor(&wrong)), 0), Error::InvalidArgument);
}

TEST_F(MethodIoTest, DynamicShapesGoUpToTheirBound) {
  MethodHarness harness(add_program({4, 2}, /*shape_dynamism=*/1));
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  for (const int32_t rows : {1, 4, 0, 3}) {
    const auto input = float_tensor({rows, 2}, Floats(static_cast<size_t>(rows) * 2, 1.5f));
    ASSERT_EQ(method.set_inputs({input.value(), input.value()}), Error::Ok) << rows;
    ASSERT_EQ(method.execute(), Error::Ok) << rows;
    const EValue& output = method.get_output(0);
    EXPECT_EQ(output.toTensor().sizes()[0], rows);
    EXPECT_EQ(floats(output), Floats(static_cast<size_t>(rows) * 2, 3));
  }
  EXPECT_EQ(method.set_input(float_tensor({5, 2}, Floats(10)).value(), 0), Error::NotSupported);
  EXPECT_EQ(method.set_input(float_tensor({8}, Floats(8)).value(), 0), Error::InvalidArgument);
}

TEST_F(MethodIoTest, FixedInputsMustHaveTheirValue) {
  ProgramBuilder b;
  b.set_inputs({b.add_int(3), b.add_double(0.1), b.add_bool(true), b.add_string("mode"),
                b.add_none(), b.add_double(std::nan(""))});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  const executorch::aten::ArrayRef<char> mode("mode", 4), other("most", 4);
  EXPECT_EQ(method.set_input(EValue(int64_t{4}), 0), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(int64_t{3}), 0), Error::Ok);
  EXPECT_EQ(method.set_input(EValue(3.0), 0), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(0.2), 1), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(static_cast<double>(0.1f)), 1), Error::Ok) << "rounded";
  EXPECT_EQ(method.set_input(EValue(false), 2), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(true), 2), Error::Ok);
  EXPECT_EQ(method.set_input(EValue(&other), 3), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(&mode), 3), Error::Ok);
  EXPECT_EQ(method.set_input(EValue(int64_t{0}), 4), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(), 4), Error::Ok);
  EXPECT_EQ(method.set_input(EValue(1.0), 5), Error::InvalidArgument);
  EXPECT_EQ(method.set_input(EValue(std::nan("")), 5), Error::Ok);
  EXPECT_EQ(method.execute(), Error::Ok);
}

TEST_F(MethodIoTest, InputsWithoutPlannedMemoryAreShared) {
  ProgramBuilder b;
  const int x = b.add_tensor(unplanned_tensor({2}));
  const int out = b.add_planned_tensor({2});
  b.call_kernel(b.add_operator("test::neg"), {x, out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  float data[2] = {1, 2};
  SizesType size = 2;
  TensorImpl input(ScalarType::Float, 1, &size, data);
  ASSERT_EQ(harness.method().set_input(EValue(Tensor(&input)), 0), Error::Ok);
  data[1] = 5;
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{-1, -5}));
}

TEST_F(MethodIoTest, OutputsWithoutPlannedMemoryNeedABuffer) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2}, 6, 1);
  const int out = b.add_tensor(unplanned_tensor({2}, 1));
  const int constant = b.add_constant_tensor({1});
  b.call_kernel(b.add_operator("test::neg"), {x, out, out});
  b.set_inputs({x});
  b.set_outputs({out, x, constant, b.add_int(1)});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  ASSERT_EQ(method.set_input(float_tensor({1}, {1}).value(), 0), Error::Ok);
  EXPECT_EQ(method.execute(), Error::InvalidState);
  float buffer[3] = {7, 7, 7};
  EXPECT_EQ(method.set_output_data_ptr(buffer, 7, 0), Error::InvalidArgument);
  EXPECT_EQ(method.set_output_data_ptr(nullptr, 8, 0), Error::InvalidArgument);
  EXPECT_EQ(method.set_output_data_ptr(buffer, 8, 1), Error::InvalidState);
  EXPECT_EQ(method.set_output_data_ptr(buffer, 8, 2), Error::InvalidState);
  EXPECT_EQ(method.set_output_data_ptr(buffer, 8, 3), Error::InvalidArgument);
  EXPECT_EQ(method.set_output_data_ptr(buffer, 8, 4), Error::InvalidArgument);
  EXPECT_EQ(method.set_output_data_ptr(reinterpret_cast<char*>(buffer) + 1, 8, 0),
            Error::InvalidArgument);
  ASSERT_EQ(method.set_output_data_ptr(buffer, 8, 0), Error::Ok);
  ASSERT_EQ(method.execute(), Error::Ok);
  EXPECT_EQ(method.get_output(0).toTensor().const_data_ptr(), buffer);
  EXPECT_EQ(buffer[0], -1);
  EXPECT_EQ(buffer[1], 7);
  // The shape is small now, but the next one may not be.
  EXPECT_EQ(method.set_output_data_ptr(buffer, 4, 0), Error::InvalidArgument);
}

TEST_F(MethodIoTest, CopiesValuesOut) {
  MethodHarness harness(add_program({1}));
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  EValue values[4] = {EValue(1.0), EValue(1.0), EValue(1.0), EValue(1.0)};
  EXPECT_EQ(method.get_outputs(values, 0), Error::InvalidArgument);
  EXPECT_EQ(method.get_outputs(values, 3), Error::Ok);
  EXPECT_TRUE(values[0].isTensor());
  EXPECT_TRUE(values[1].isNone());
  EXPECT_TRUE(values[2].isNone());
  EXPECT_TRUE(values[3].isDouble());
  EXPECT_EQ(method.get_inputs(values, 1), Error::InvalidArgument);
  EXPECT_EQ(method.get_inputs(values, 2), Error::Ok);
  EXPECT_TRUE(values[1].isTensor());
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
