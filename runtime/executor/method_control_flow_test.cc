#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/test_kernels.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using Floats = std::vector<float>;

constexpr int8_t kBool = 11;

class ControlFlowTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { register_test_kernels(); }
};

TestTensor<uint8_t> bool_tensor(std::vector<int32_t> sizes, std::vector<uint8_t> data) {
  return {ScalarType::Bool, std::move(sizes), std::move(data)};
}

// out = all(condition) ? -x : x + x, as exporters write it.
ProgramBuilder cond_program(const std::vector<int32_t>& condition_sizes) {
  ProgramBuilder b;
  const int condition = b.add_planned_tensor(condition_sizes, kBool);
  const int x = b.add_planned_tensor({2});
  const int out = b.add_planned_tensor({2});
  const int negated = b.add_planned_tensor({2});
  const int doubled = b.add_planned_tensor({2});
  const int never = b.add_bool(false);
  b.jump_if_false(condition, 4);
  b.call_kernel(b.add_operator("test::neg"), {x, negated, negated});
  b.move(negated, out);
  b.jump_if_false(never, 6);
  b.call_kernel(b.add_operator("test::add"), {x, x, doubled, doubled});
  b.move(doubled, out);
  b.set_inputs({condition, x});
  b.set_outputs({out});
  return b;
}

TEST_F(ControlFlowTest, TakesTheBranchThatTheConditionSays) {
  MethodHarness harness(cond_program({}));
  ASSERT_TRUE(harness.ok());
  const auto x = float_tensor({2}, {1, 2});
  for (const uint8_t condition : {1, 0, 0, 1}) {
    ASSERT_EQ(harness.method().set_inputs({bool_tensor({}, {condition}).value(), x.value()}),
              Error::Ok);
    ASSERT_EQ(harness.method().execute(), Error::Ok);
    EXPECT_EQ(floats(harness.method().get_output(0)),
              condition != 0 ? (Floats{-1, -2}) : (Floats{2, 4}));
  }
}

TEST_F(ControlFlowTest, TensorConditionsHoldIfNoElementIsFalse) {
  MethodHarness harness(cond_program({3}));
  ASSERT_TRUE(harness.ok());
  const auto x = float_tensor({2}, {1, 2});
  const auto run = [&](std::vector<uint8_t> condition) {
    EXPECT_EQ(harness.method().set_inputs({bool_tensor({3}, condition).value(), x.value()}),
              Error::Ok);
    EXPECT_EQ(harness.method().execute(), Error::Ok);
    return floats(harness.method().get_output(0))[0];
  };
  EXPECT_EQ(run({1, 1, 1}), -1);
  EXPECT_EQ(run({1, 0, 1}), 2);
  EXPECT_EQ(run({0, 0, 0}), 2);
}

TEST_F(ControlFlowTest, OtherConditionsAreInvalid) {
  ProgramBuilder b;
  b.jump_if_false(b.add_planned_tensor({1}), 1);
  MethodHarness floats_harness(b);
  ASSERT_TRUE(floats_harness.ok());
  EXPECT_EQ(floats_harness.method().execute(), Error::InvalidProgram);

  ProgramBuilder none;
  none.jump_if_false(none.add_none(), 1);
  MethodHarness none_harness(none);
  ASSERT_TRUE(none_harness.ok());
  EXPECT_EQ(none_harness.method().execute(), Error::InvalidProgram);

  ProgramBuilder moved;
  const int condition = moved.add_bool(true);
  moved.move(moved.add_string("text"), condition);
  moved.jump_if_false(condition, 0);
  MethodHarness moved_harness(moved);
  ASSERT_TRUE(moved_harness.ok());
  EXPECT_EQ(moved_harness.method().execute(), Error::InvalidProgram);

  ProgramBuilder unset;
  TensorOptions options;
  options.scalar_type = kBool;
  unset.jump_if_false(unset.add_tensor(options), 1);
  MethodHarness unset_harness(unset);
  ASSERT_TRUE(unset_harness.ok());
  EXPECT_EQ(unset_harness.method().execute(), Error::InvalidState);
}

TEST_F(ControlFlowTest, EndlessLoopsEnd) {
  ProgramBuilder b;
  b.jump_if_false(b.add_bool(false), 0);
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  EXPECT_EQ(harness.method().execute(), Error::InvalidProgram);
  EXPECT_EQ(harness.method().execute(), Error::InvalidProgram) << "and can be tried again";
}

TEST_F(ControlFlowTest, StepsThroughAllChains) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({1});
  const int out = b.add_planned_tensor({1});
  const int neg_ = b.add_operator("test::neg_", "");
  b.call_kernel(b.add_operator("test::neg"), {x, out, out});
  b.call_kernel(neg_, {out, out});
  b.begin_chain();
  b.begin_chain();
  b.call_kernel(neg_, {out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  const auto one = float_tensor({1}, {1});
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(method.set_input(one.value(), 0), Error::Ok);
    EXPECT_EQ(method.step(), Error::Ok);
    EXPECT_EQ(floats(method.get_output(0)), Floats{-1});
    EXPECT_EQ(method.set_input(one.value(), 0), Error::InvalidState) << "in the middle";
    EXPECT_EQ(method.reset_execution(), Error::InvalidState);
    EXPECT_EQ(method.step(), Error::Ok);
    EXPECT_EQ(method.step(), Error::Ok) << "the empty chain";
    EXPECT_EQ(floats(method.get_output(0)), Floats{1});
    EXPECT_EQ(method.step(), Error::Ok);
    EXPECT_EQ(floats(method.get_output(0)), Floats{-1});
    EXPECT_EQ(method.step(), Error::EndOfMethod);
    EXPECT_EQ(method.step(), Error::EndOfMethod);
    EXPECT_EQ(method.reset_execution(), Error::Ok);
  }
}

TEST_F(ControlFlowTest, ExecutingDoesNotCutInOnStepping) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({1});
  const int out = b.add_planned_tensor({1});
  const int neg_ = b.add_operator("test::neg_", "");
  b.call_kernel(b.add_operator("test::neg"), {x, out, out});
  b.call_kernel(neg_, {out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  const auto one = float_tensor({1}, {1});
  ASSERT_EQ(method.set_input(one.value(), 0), Error::Ok);
  EXPECT_EQ(method.step(), Error::Ok);
  EXPECT_EQ(method.execute(), Error::InvalidState);
  EXPECT_TRUE(method.in_progress());
  EXPECT_EQ(method.step(), Error::Ok);
  EXPECT_EQ(floats(method.get_output(0)), Floats{1});
  EXPECT_EQ(method.execute(), Error::Ok) << "from the start, now that stepping is at the end";
  EXPECT_EQ(method.set_input(one.value(), 0), Error::Ok);
}

TEST_F(ControlFlowTest, AStepThatFailsGoesBackToTheStart) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({1});
  const int out = b.add_planned_tensor({1});
  b.call_kernel(b.add_operator("test::neg"), {x, out, out});
  b.call_kernel(b.add_operator("test::fail"), {x, out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  const auto one = float_tensor({1}, {1});
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(method.set_input(one.value(), 0), Error::Ok);
    EXPECT_EQ(method.step(), Error::Ok);
    const Error error = method.step();
    EXPECT_NE(error, Error::Ok);
    EXPECT_FALSE(method.in_progress());
    EXPECT_EQ(method.execute(), error);
  }
}

TEST_F(ControlFlowTest, FreedTensorsHaveNoMemory) {
  ProgramBuilder b;
  const int x = b.add_constant_tensor({1, 2});
  TensorOptions options;
  options.sizes = {2};
  const int view = b.add_tensor(options);
  const int out = b.add_planned_tensor({2});
  const int neg = b.add_operator("test::neg");
  const int make_view = b.add_operator("test::view");
  b.call_kernel(make_view, {x, view, view});
  b.call_kernel(neg, {view, out, out});
  b.free_value(view);
  b.set_outputs({out, view});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(harness.method().execute(), Error::Ok);
    EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{-1, -2}));
    EXPECT_EQ(harness.method().get_output(1).toTensor().const_data_ptr(), nullptr);
  }
  b.call_kernel(neg, {view, out, out});
  MethodHarness used_after_free(b);
  ASSERT_TRUE(used_after_free.ok());
  EXPECT_EQ(used_after_free.method().execute(), Error::InvalidState);
}

// Whatever a program moves around, inputs and outputs stay what the caller was told.
TEST_F(ControlFlowTest, MovesDoNotChangeWhatInputsAndOutputsAre) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2});
  TensorOptions options;
  options.sizes = {2};
  const int out = b.add_tensor(options);
  const int constant = b.add_constant_tensor({5, 6, 7, 8});
  b.move(constant, out);
  b.move(constant, x);
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  float buffer[2] = {};
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(method.set_input(float_tensor({2}, {1, 2}).value(), 0), Error::Ok);
    ASSERT_EQ(method.set_output_data_ptr(buffer, sizeof(buffer), 0), Error::Ok);
    EXPECT_EQ(method.get_output(0).toTensor().const_data_ptr(), buffer);
    ASSERT_EQ(method.execute(), Error::Ok);
    EXPECT_EQ(floats(method.get_output(0)), (Floats{5, 6, 7, 8}));
    EXPECT_EQ(method.set_input(float_tensor({4}, Floats(4)).value(), 0), Error::NotSupported);
  }
}

TEST_F(ControlFlowTest, KernelsThatGetAnotherTypeThanLoadedFail) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2});
  const int number = b.add_int(1);
  const int list = b.add_int_list({number});
  const int tensors = b.add_tensor_list({x});
  const int out = b.add_planned_tensor({2});
  b.move(x, number);  // The list now holds a tensor.
  b.call_kernel(b.add_operator("test::full"), {list, b.add_double(1), out, out});
  MethodHarness ints(b);
  ASSERT_TRUE(ints.ok());
  EXPECT_EQ(ints.method().execute(), Error::InvalidType);

  ProgramBuilder c;
  const int tensor = c.add_planned_tensor({2});
  const int one = c.add_int(1);
  const int tensor_list = c.add_tensor_list({tensor});
  const int result = c.add_planned_tensor({2});
  c.move(one, tensor);
  c.call_kernel(c.add_operator("test::concat"), {tensor_list, result, result});
  MethodHarness lists(c);
  ASSERT_TRUE(lists.ok());
  EXPECT_EQ(lists.method().execute(), Error::InvalidType);
  (void)tensors;
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
