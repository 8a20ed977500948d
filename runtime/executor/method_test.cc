#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/sample_programs.h>
#include <executorch/runtime/executor/testing/test_kernels.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using Floats = std::vector<float>;

class MethodTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { register_test_kernels(); }
};

TEST_F(MethodTest, RunsAgainAndAgain) {
  MethodHarness harness(add_program({2, 2}));
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  EXPECT_EQ(method.inputs_size(), 2u);
  EXPECT_EQ(method.outputs_size(), 1u);
  EXPECT_EQ(method.values_size(), 3u);
  EXPECT_STREQ(method.method_meta().name(), "forward");
  EXPECT_EQ(method.get_event_tracer(), nullptr);
  const auto ones = float_tensor({2, 2}, {1, 1, 1, 1});
  for (int i = 0; i < 3; ++i) {
    const float f = static_cast<float>(i);
    ASSERT_EQ(method.set_inputs({ones.value(), float_tensor({2, 2}, {f, f, f, f}).value()}),
              Error::Ok);
    ASSERT_EQ(method.execute(), Error::Ok);
    EXPECT_EQ(floats(method.get_output(0)), Floats(4, 1 + f));
  }
}

TEST_F(MethodTest, MovesWithItsState) {
  MethodHarness harness(add_program({1}));
  ASSERT_TRUE(harness.ok());
  const auto one = float_tensor({1}, {1});
  ASSERT_EQ(harness.method().set_inputs({one.value(), one.value()}), Error::Ok);
  Method moved(std::move(harness.method()));
  EXPECT_EQ(moved.execute(), Error::Ok);
  EXPECT_EQ(floats(moved.get_output(0)), Floats{2});
  EXPECT_EQ(harness.method().execute(), Error::InvalidState);
  EXPECT_EQ(harness.method().set_input(one.value(), 0), Error::InvalidState);
}

TEST_F(MethodTest, ConstantMethodsNeedNoInstructions) {
  ProgramBuilder b;
  const int one = b.add_int(1);
  b.set_outputs({b.add_constant_tensor({1, 2, 3}), one, b.add_double(0.5), b.add_bool(true),
                 b.add_string("hello"), b.add_int_list({one, one}), b.add_double_list({1, 2}),
                 b.add_bool_list({1, 0}), b.add_none()});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  ASSERT_EQ(method.execute(), Error::Ok);
  EXPECT_EQ(floats(method.get_output(0)), (Floats{1, 2, 3}));
  EXPECT_EQ(method.get_output(1).toInt(), 1);
  EXPECT_EQ(method.get_output(2).toDouble(), 0.5);
  EXPECT_TRUE(method.get_output(3).toBool());
  EXPECT_EQ(method.get_output(4).toString(), "hello");
  EXPECT_EQ(method.get_output(5).toIntList().size(), 2u);
  EXPECT_EQ(method.get_output(6).toDoubleList()[1], 2.0);
  EXPECT_FALSE(method.get_output(7).toBoolList()[1]);
  EXPECT_TRUE(method.get_output(8).isNone());
}

TEST_F(MethodTest, SymbolicSizesFlowThroughLists) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({3, 5}, 6, 1);
  const int rows = b.add_int(0);
  const int size = b.add_int_list({rows});
  const int out = b.add_planned_tensor({3}, 6, 1);
  b.call_kernel(b.add_operator("test::size", "int"), {x, b.add_int(0), rows});
  b.call_kernel(b.add_operator("test::full"), {size, b.add_double(2), out, out});
  b.set_inputs({x});
  b.set_outputs({out, rows});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  for (const int32_t n : {2, 3, 1}) {
    const auto input = float_tensor({n, 5}, Floats(static_cast<size_t>(n) * 5));
    ASSERT_EQ(harness.method().set_input(input.value(), 0), Error::Ok);
    ASSERT_EQ(harness.method().execute(), Error::Ok);
    EXPECT_EQ(floats(harness.method().get_output(0)), Floats(static_cast<size_t>(n), 2));
    EXPECT_EQ(harness.method().get_output(1).toInt(), n);
  }
}

TEST_F(MethodTest, TensorListsAreArguments) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2});
  const int list = b.add_tensor_list({x, b.add_constant_tensor({8, 9}), x});
  const int out = b.add_planned_tensor({6});
  b.call_kernel(b.add_operator("test::concat"), {list, out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().set_input(float_tensor({2}, {1, 2}).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{1, 2, 8, 9, 1, 2}));
}

TEST_F(MethodTest, MutableStateStartsAsSerializedAndStays) {
  ProgramBuilder b;
  const float initial[2] = {10, 20};
  const auto* bytes = reinterpret_cast<const uint8_t*>(initial);
  TensorOptions options = unplanned_tensor({2});
  options.data_buffer_idx = b.add_mutable_data(std::vector<uint8_t>(bytes, bytes + 8));
  options.memory_id = 2;
  options.name = "state";
  const int x = b.add_planned_tensor({2});
  const int state = b.add_tensor(options);
  b.call_kernel(b.add_operator("test::add_", ""), {state, x, state});
  b.set_inputs({x});
  b.set_outputs({state});
  b.set_planned_buffers({8, 8});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().set_input(float_tensor({2}, {1, 2}).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{11, 22}));
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{12, 24}));

  Result<Tensor> attribute = harness.method().get_attribute("state");
  ASSERT_TRUE(attribute.ok());
  EXPECT_EQ(attribute->const_data_ptr<float>()[1], 24);
  attribute->mutable_data_ptr<float>()[0] = 100;
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{101, 26}));
  EXPECT_EQ(harness.method().get_attribute("other").error(), Error::NotFound);
  EXPECT_EQ(harness.method().get_attribute("").error(), Error::NotFound);
}

TEST_F(MethodTest, FailingKernelsFailTheMethodWhichWorksAgain) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2}, 6, 1);
  const int y = b.add_planned_tensor({2});
  const int out = b.add_planned_tensor({2});
  b.call_kernel(b.add_operator("test::add"), {x, y, out, out});
  b.set_inputs({x, y});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  Method& method = harness.method();
  const auto two = float_tensor({2}, {1, 2});
  ASSERT_EQ(method.set_inputs({float_tensor({1}, {1}).value(), two.value()}), Error::Ok);
  EXPECT_EQ(method.execute(), Error::InvalidArgument);
  ASSERT_EQ(method.set_inputs({two.value(), two.value()}), Error::Ok);
  EXPECT_EQ(method.execute(), Error::Ok);

  ProgramBuilder failing;
  const int t = failing.add_planned_tensor({1});
  const int u = failing.add_planned_tensor({1});
  failing.call_kernel(failing.add_operator("test::fail"), {t, u, u});
  MethodHarness failing_harness(failing);
  ASSERT_TRUE(failing_harness.ok());
  EXPECT_EQ(failing_harness.method().execute(), Error::NotSupported);
}

TEST_F(MethodTest, ArgumentsThatDoNotFitTheKernelFailTheCall) {
  const auto run = [](std::vector<int32_t> args) {
    ProgramBuilder b;
    b.add_planned_tensor({2});
    b.add_int(1);
    b.add_constant_tensor({1, 2});
    b.add_tensor(unplanned_tensor({2}));
    b.call_kernel(b.add_operator("test::neg"), args);
    MethodHarness harness(b);
    return harness.ok() ? harness.method().execute() : harness.error;
  };
  EXPECT_EQ(run({2, 0, 0}), Error::Ok);
  EXPECT_EQ(run({2, 0}), Error::InvalidProgram) << "too few";
  EXPECT_EQ(run({2, 0, 0, 0}), Error::InvalidProgram) << "too many";
  EXPECT_EQ(run({}), Error::InvalidProgram) << "none";
  EXPECT_EQ(run({1, 0, 0}), Error::InvalidType) << "not a tensor";
  EXPECT_EQ(run({0, 2, 2}), Error::InvalidProgram) << "output is a constant";
  EXPECT_EQ(run({3, 0, 0}), Error::InvalidState) << "input without memory";
  EXPECT_EQ(run({0, 3, 3}), Error::InvalidState) << "output without memory";
}

TEST_F(MethodTest, ViewsMayBeReadButNotWritten) {
  ProgramBuilder b;
  const int x = b.add_constant_tensor({1, 2});
  const int view = b.add_tensor(unplanned_tensor({4}, 1));
  const int out = b.add_planned_tensor({2});
  const int neg = b.add_operator("test::neg");
  b.call_kernel(b.add_operator("test::view"), {x, view, view});
  b.call_kernel(neg, {view, out, out});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{-1, -2}));

  b.call_kernel(neg, {out, view, view});
  MethodHarness bad(b);
  ASSERT_TRUE(bad.ok());
  EXPECT_EQ(bad.method().execute(), Error::InvalidProgram);
}

TEST_F(MethodTest, SharedInputsSmallerThanTheirBoundAreNotWritten) {
  ProgramBuilder b;
  const int x = b.add_tensor(unplanned_tensor({4}, 1));
  const int constant = b.add_constant_tensor({1, 2, 3, 4});
  b.call_kernel(b.add_operator("test::neg"), {constant, x, x});
  b.set_inputs({x});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  float data[4] = {};
  SizesType size = 2;
  TensorImpl small(ScalarType::Float, 1, &size, data);
  ASSERT_EQ(harness.method().set_input(EValue(Tensor(&small)), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::InvalidProgram);
  size = 4;
  TensorImpl full(ScalarType::Float, 1, &size, data);
  ASSERT_EQ(harness.method().set_input(EValue(Tensor(&full)), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(data[3], -4);
}

TEST_F(MethodTest, TempMemoryIsForOneCall) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({4});
  const int out = b.add_planned_tensor({4});
  const int nbytes = b.add_int(400);
  const int scratch = b.add_operator("test::scratch");
  b.call_kernel(scratch, {x, nbytes, out, out});
  b.call_kernel(scratch, {x, nbytes, out, out});
  b.set_inputs({x});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().set_input(float_tensor({4}, Floats(4)).value(), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::Ok) << "512 bytes serve 400 twice";
  EXPECT_EQ(harness.memory->temp_allocator.used_size(), 0u);
}

TEST_F(MethodTest, MissingOperatorsAreRefused) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({1});
  b.call_kernel(b.add_operator("test::neg"), {x, x, x});
  b.call_kernel(b.add_operator("absent::one"), {x, x});
  b.call_kernel(b.add_operator("absent::two", ""), {x, x});
  MethodHarness harness(b);
  EXPECT_EQ(harness.error, Error::OperatorMissing);
  EXPECT_EQ(harness.loader.num_loaded, harness.loader.num_freed + 1)
      << "only the program is still there";
}

TEST_F(MethodTest, NeedsItsPlannedMemory) {
  const PteFile file = add_program({8}).build();
  MemoryLoader loader(file);
  Result<Program> program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  alignas(16) uint8_t memory[8192];
  MemoryAllocator allocator(sizeof(memory), memory);
  MemoryManager without(&allocator);
  EXPECT_EQ(program->load_method("forward", &without).error(), Error::InvalidArgument);

  alignas(16) uint8_t planned[96];
  Span<uint8_t> short_span(planned, 95);
  HierarchicalAllocator too_short({&short_span, 1});
  MemoryManager short_manager(&allocator, &too_short);
  EXPECT_EQ(program->load_method("forward", &short_manager).error(), Error::MemoryAllocationFailed);

  Span<uint8_t> span(planned, 96);
  HierarchicalAllocator enough({&span, 1});
  MemoryManager manager(&allocator, &enough);
  EXPECT_EQ(program->load_method("forward", &manager).error(), Error::Ok);
}

TEST_F(MethodTest, WorksWithThePlatformsTempMemory) {
  const PteFile file = add_program({1}).build();
  MemoryLoader loader(file);
  Result<Program> program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  MethodMemory memory(*program->method_meta("forward"));
  MemoryManager manager(&memory.method_allocator, memory.planned_memory.get());
  Result<Method> method = program->load_method("forward", &manager);
  ASSERT_TRUE(method.ok());
  const auto one = float_tensor({1}, {1});
  ASSERT_EQ(method->set_inputs({one.value(), one.value()}), Error::Ok);
  EXPECT_EQ(method->execute(), Error::Ok);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
