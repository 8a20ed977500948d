#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/test_data_map.h>
#include <executorch/runtime/executor/testing/test_kernels.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using executorch::aten::ScalarType;
using Floats = std::vector<float>;

class ExternalDataTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { register_test_kernels(); }

  static TensorOptions external(const std::string& name, std::vector<int32_t> sizes) {
    TensorOptions options;
    options.sizes = std::move(sizes);
    options.name = name;
    options.external = true;
    return options;
  }

  // out = weight + weight, where both are the same external constant.
  static PteFile program() {
    ProgramBuilder b;
    const int weight = b.add_tensor(external("weight", {2}));
    const int again = b.add_tensor(external("weight", {2}));
    const int out = b.add_planned_tensor({2});
    b.call_kernel(b.add_operator("test::add"), {weight, again, out, out});
    b.set_outputs({out});
    return b.build();
  }
};

TEST_F(ExternalDataTest, ConstantsAreLoadedOnceAndFreed) {
  TestDataMap data;
  data.add("weight", {2}, {1, 2});
  {
    MethodHarness harness(program(), "forward", &data);
    ASSERT_TRUE(harness.ok());
    EXPECT_EQ(data.num_loaded, 1);
    ASSERT_EQ(harness.method().execute(), Error::Ok);
    EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{2, 4}));
    EXPECT_EQ(data.num_freed, 0);
  }
  EXPECT_EQ(data.num_freed, 1);
}

TEST_F(ExternalDataTest, MissingDataIsNamedByItsError) {
  EXPECT_EQ(MethodHarness(program()).error, Error::InvalidState);
  TestDataMap other;
  other.add("bias", {2}, {1, 2});
  EXPECT_EQ(MethodHarness(program(), "forward", &other).error, Error::NotFound);
}

TEST_F(ExternalDataTest, DataThatDoesNotFitIsInvalid) {
  TestDataMap shape;
  shape.add("weight", {1, 2}, {1, 2});
  EXPECT_EQ(MethodHarness(program(), "forward", &shape).error, Error::InvalidExternalData);
  TestDataMap size;
  size.add("weight", {3}, {1, 2, 3});
  EXPECT_EQ(MethodHarness(program(), "forward", &size).error, Error::InvalidExternalData);
  TestDataMap dtype;
  dtype.add("weight", {2}, {1, 2}, ScalarType::Int);
  EXPECT_EQ(MethodHarness(program(), "forward", &dtype).error, Error::InvalidExternalData);
  TestDataMap cut;
  cut.add("weight", {2}, {1, 2});
  cut.cut(1);
  EXPECT_EQ(MethodHarness(program(), "forward", &cut).error, Error::InvalidExternalData);
  EXPECT_EQ(cut.num_loaded, cut.num_freed);
}

TEST_F(ExternalDataTest, MutableTensorsStartFromExternalData) {
  ProgramBuilder b;
  TensorOptions options = external("state", {2});
  options.memory_id = 1;
  b.set_planned_buffers({8});
  const int state = b.add_tensor(options);
  b.call_kernel(b.add_operator("test::neg_", ""), {state, state});
  b.set_outputs({state});
  TestDataMap data;
  data.add("state", {2}, {3, 4});
  MethodHarness harness(b.build(), "forward", &data);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{-3, -4}));
  EXPECT_EQ(MethodHarness(b.build()).error, Error::InvalidState);
}

TEST_F(ExternalDataTest, TheProgramsOwnNamedDataServesToo) {
  ProgramBuilder b;
  const int weight = b.add_tensor(external("weight", {2}));
  const int bias = b.add_tensor(external("bias", {2}));
  const int out = b.add_planned_tensor({2});
  b.call_kernel(b.add_operator("test::add"), {weight, bias, out, out});
  b.set_outputs({out});
  const float own[2] = {10, 20};
  const auto* bytes = reinterpret_cast<const uint8_t*>(own);
  b.add_named_data("weight", std::vector<uint8_t>(bytes, bytes + sizeof(own)));
  TestDataMap data;
  data.add("bias", {2}, {1, 2});
  MethodHarness harness(b.build(), "forward", &data);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{11, 22}));

  data.add("weight", {2}, {1, 2});
  EXPECT_EQ(MethodHarness(b.build(), "forward", &data).error, Error::InvalidArgument)
      << "the key is in both";
}

TEST_F(ExternalDataTest, OwnNamedDataThatIsTooShortIsInvalid) {
  ProgramBuilder b;
  b.add_tensor(external("weight", {2}));
  b.add_named_data("weight", {1, 2, 3, 4});
  EXPECT_EQ(MethodHarness(b.build()).error, Error::InvalidExternalData);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
