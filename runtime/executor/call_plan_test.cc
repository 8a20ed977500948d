#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/test_kernels.h>
#include <executorch/runtime/kernel/boxing.h>
#include <executorch/runtime/kernel/kernel_includes.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using executorch::aten::ArrayRef;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;

constexpr int8_t kByte = 0;
constexpr int8_t kLong = 4;
constexpr int8_t kBound = 1;

// Reads its input twice, as aten::nonzero.out does: what it counted says how much it writes.
Tensor& where_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  const auto* bytes = in.const_data_ptr<uint8_t>();
  SizesType count = 0;
  for (ssize_t i = 0; i < in.numel(); ++i) {
    count += bytes[i] != 0 ? 1 : 0;
  }
  ET_KERNEL_CHECK(ctx, resize_tensor(out, {&count, 1}) == Error::Ok, InvalidArgument, out);
  auto* next = out.mutable_data_ptr<int64_t>();
  for (ssize_t i = 0; i < in.numel(); ++i) {
    if (bytes[i] != 0) {
      *next++ = i;
    }
  }
  return out;
}

Tensor& increment_(KernelRuntimeContext&, Tensor& self, const Tensor& by) {
  for (ssize_t i = 0; i < self.numel(); ++i) {
    self.mutable_data_ptr<float>()[i] += by.const_data_ptr<float>()[i];
  }
  return self;
}

void halves_out(KernelRuntimeContext&, const Tensor&, ArrayRef<Tensor> out) {
  for (const Tensor& half : out) {
    std::memset(half.mutable_data_ptr(), 0, half.nbytes());
  }
}

// Says nothing of what it writes.
void raw_out(KernelRuntimeContext& context, Span<EValue*> stack) {
  if (!context.may_write(stack[1]->toTensor())) {
    context.fail(Error::InvalidProgram);
    return;
  }
  std::memset(stack[1]->toTensor().mutable_data_ptr(), 0, stack[1]->toTensor().nbytes());
}

constexpr Kernel kKernels[] = {
    make_boxed_kernel<where_out>("plan::where.out"),
    make_boxed_kernel<increment_>("plan::increment_"),
    make_boxed_kernel<halves_out>("plan::halves.out"),
    Kernel("plan::raw.out", raw_out),
    // Writes into the place of its result, as generated registrations of such operators do.
    Kernel("plan::functional.out", raw_out, WrittenArguments().with(1)),
};

// Adds its two inputs up. Says how many outputs it has.
class AddBackend final : public BackendInterface {
 public:
  bool is_available() const override { return true; }
  Result<DelegateHandle*> init(BackendInitContext&, FreeableBuffer*,
                               ArrayRef<CompileSpec>) const override {
    return static_cast<DelegateHandle*>(nullptr);
  }
  Error execute(BackendExecutionContext&, DelegateHandle*, Span<EValue*> args) const override {
    ++num_calls;
    for (ssize_t i = 0; i < args[2]->toTensor().numel(); ++i) {
      args[2]->toTensor().mutable_data_ptr<float>()[i] =
          args[0]->toTensor().const_data_ptr<float>()[i] +
          args[1]->toTensor().const_data_ptr<float>()[i];
    }
    return Error::Ok;
  }
  size_t num_outputs(DelegateHandle*) const override { return 1; }

  mutable int num_calls = 0;
};

AddBackend backend;

TensorOptions at(uint64_t offset, std::vector<int32_t> sizes, int8_t dtype = 6,
                 int8_t dynamism = 0) {
  TensorOptions options;
  options.sizes = std::move(sizes);
  options.scalar_type = dtype;
  options.shape_dynamism = dynamism;
  options.memory_id = 1;
  options.memory_offset = offset;
  return options;
}

TensorOptions unplanned(std::vector<int32_t> sizes, int8_t dynamism = 0) {
  TensorOptions options;
  options.sizes = std::move(sizes);
  options.shape_dynamism = dynamism;
  return options;
}

class CallPlanTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    register_test_kernels();
    ASSERT_EQ(register_kernels(Span<const Kernel>(kKernels)), Error::Ok);
    ASSERT_EQ(register_backend({"Add", &backend}), Error::Ok);
  }

  static Error load(const ProgramBuilder& builder) { return MethodHarness(builder).error; }

  // One call of an operator with these tensors, the last of which is its result too.
  static Error load_call(const char* name, const std::vector<TensorOptions>& tensors,
                         const char* overload = "out") {
    ProgramBuilder b;
    b.set_planned_buffers({4096});
    std::vector<int32_t> args;
    for (const TensorOptions& tensor : tensors) {
      args.push_back(b.add_tensor(tensor));
    }
    args.push_back(args.back());
    b.call_kernel(b.add_operator(name, overload), args);
    b.set_outputs({args.back()});
    return load(b);
  }
};

TEST_F(CallPlanTest, RefusesOutputOverItsInput) {
  const TensorOptions in = at(0, {2048}, kByte);
  EXPECT_EQ(load_call("plan::where", {in, at(2048, {256}, kLong, kBound)}), Error::Ok);
  // Up to the bound of its shape: the last byte of the input is its first.
  EXPECT_EQ(load_call("plan::where", {in, at(2040, {256}, kLong, kBound)}), Error::InvalidProgram);
  EXPECT_EQ(load_call("plan::where", {at(1024, {2048}, kByte), at(0, {129}, kLong, kBound)}),
            Error::InvalidProgram);
  // The whole of it.
  EXPECT_EQ(load_call("plan::where", {in, at(0, {256}, kLong, kBound)}), Error::InvalidProgram);
  EXPECT_EQ(load_call("test::neg", {at(64, {4}), at(64, {4})}), Error::InvalidProgram);
  EXPECT_EQ(load_call("test::neg", {at(64, {0}), at(64, {0})}), Error::Ok);
}

TEST_F(CallPlanTest, TakesInputsThatShareMemory) {
  EXPECT_EQ(load_call("test::add", {at(0, {4}), at(8, {4}), at(32, {4})}), Error::Ok);
  EXPECT_EQ(load_call("test::add", {at(0, {4}), at(0, {4}), at(32, {4})}), Error::Ok);
}

TEST_F(CallPlanTest, OperatorsInPlaceWriteTheirFirstArgument) {
  ProgramBuilder b;
  const int self = b.add_planned_tensor({2});
  const int by = b.add_constant_tensor({5, 6});
  b.call_kernel(b.add_operator("plan::increment_", ""), {self, by, self});
  b.set_inputs({self});
  b.set_outputs({self});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().set_input(float_tensor({2}, {1, 2}).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (std::vector<float>{6, 8}));

  ProgramBuilder overlapping;
  overlapping.set_planned_buffers({64});
  const int a = overlapping.add_tensor(at(0, {4}));
  const int c = overlapping.add_tensor(at(8, {4}));
  overlapping.call_kernel(overlapping.add_operator("plan::increment_", ""), {a, c, a});
  EXPECT_EQ(load(overlapping), Error::InvalidProgram);
}

TEST_F(CallPlanTest, LooksIntoLists) {
  const auto concat = [](uint64_t offset) {
    ProgramBuilder b;
    b.set_planned_buffers({256});
    const int one = b.add_tensor(at(0, {4}));
    const int two = b.add_tensor(at(offset, {4}));
    const int out = b.add_tensor(at(64, {8}));
    b.call_kernel(b.add_operator("test::concat"), {b.add_tensor_list({one, two}), out, out});
    return load(b);
  };
  EXPECT_EQ(concat(48), Error::Ok);
  EXPECT_EQ(concat(92), Error::InvalidProgram);

  const auto halves = [](uint64_t offset) {
    ProgramBuilder b;
    b.set_planned_buffers({256});
    const int in = b.add_tensor(at(0, {8}));
    const int one = b.add_tensor(at(32, {4}));
    const int two = b.add_tensor(at(offset, {4}));
    const int list = b.add_tensor_list({one, two});
    b.call_kernel(b.add_operator("plan::halves"), {in, list, list});
    return load(b);
  };
  EXPECT_EQ(halves(48), Error::Ok);
  EXPECT_EQ(halves(44), Error::InvalidProgram);
  EXPECT_EQ(halves(28), Error::InvalidProgram);
}

TEST_F(CallPlanTest, KernelsThatSayNothingAreTakenByTheirResult) {
  EXPECT_EQ(load_call("plan::raw", {at(0, {4}), at(16, {4})}), Error::Ok);
  EXPECT_EQ(load_call("plan::raw", {at(0, {4}), at(8, {4})}), Error::InvalidProgram);
  // A file may call anything the result.
  ProgramBuilder b;
  b.set_planned_buffers({256});
  const int in = b.add_tensor(at(0, {4}));
  const int out = b.add_tensor(at(8, {4}));
  const int elsewhere = b.add_tensor(at(64, {4}));
  b.call_kernel(b.add_operator("plan::raw"), {in, out, elsewhere});
  EXPECT_EQ(load(b), Error::InvalidProgram);
}

// One value in several places of a call, with and without a place for the result.
TEST_F(CallPlanTest, RefusesOneValueForInputAndOutput) {
  const auto with_arguments = [](const char* name, const std::vector<int32_t>& args) {
    ProgramBuilder b;
    b.add_planned_tensor({4});
    b.add_planned_tensor({4});
    b.call_kernel(b.add_operator(name), args);
    return load(b);
  };
  for (const char* name : {"test::neg", "plan::raw"}) {
    EXPECT_EQ(with_arguments(name, {0, 1, 1}), Error::Ok) << name;
    EXPECT_EQ(with_arguments(name, {0, 0, 0}), Error::InvalidProgram) << name;
    EXPECT_EQ(with_arguments(name, {0, 0, 1}), Error::InvalidProgram) << name;
  }
  EXPECT_EQ(with_arguments("test::neg", {0, 0}), Error::InvalidProgram);
  EXPECT_EQ(with_arguments("plan::functional", {0, 1}), Error::Ok);
  EXPECT_EQ(with_arguments("plan::functional", {0, 0}), Error::InvalidProgram);

  for (const int32_t out : {0, 1, 2}) {
    ProgramBuilder b;
    for (int i = 0; i < 3; ++i) {
      b.add_planned_tensor({4});
    }
    b.call_delegate(b.add_delegate("Add", {1}), {0, 1, out});
    EXPECT_EQ(load(b), out == 2 ? Error::Ok : Error::InvalidProgram) << out;
  }
}

// Outputs that stand one by one before the list of them.
TEST_F(CallPlanTest, ListsOfOutputsStandForThem) {
  const auto load_split = [](uint64_t offset) {
    ProgramBuilder b;
    b.set_planned_buffers({256});
    const int in = b.add_tensor(at(0, {8}));
    const int one = b.add_tensor(at(32, {4}));
    const int two = b.add_tensor(at(offset, {4}));
    b.call_kernel(b.add_operator("plan::raw"), {in, one, two, b.add_tensor_list({one, two})});
    return load(b);
  };
  EXPECT_EQ(load_split(48), Error::Ok);
  EXPECT_EQ(load_split(44), Error::InvalidProgram);
  EXPECT_EQ(load_split(16), Error::InvalidProgram);

  ProgramBuilder b;
  const int in = b.add_planned_tensor({8});
  const int one = b.add_planned_tensor({4});
  const int two = b.add_planned_tensor({4});
  const int argument = b.add_tensor_list({one, two});
  b.call_kernel(b.add_operator("plan::raw"), {in, argument, b.add_tensor_list({one, two})});
  EXPECT_EQ(load(b), Error::Ok);
}

TEST_F(CallPlanTest, RefusesConstantAsOutput) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2});
  const int constant = b.add_constant_tensor({5, 6});
  b.call_kernel(b.add_operator("test::neg"), {x, constant, constant});
  EXPECT_EQ(load(b), Error::InvalidProgram);
}

TEST_F(CallPlanTest, MemoryOfTheApplicationIsLookedAtBeforeTheCall) {
  ProgramBuilder b;
  const int x = b.add_tensor(unplanned({4}));
  const int out = b.add_tensor(unplanned({4}));
  b.call_kernel(b.add_operator("test::neg"), {x, out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  float memory[12] = {1, 2, 3, 4};
  SizesType sizes[] = {4};
  executorch::aten::DimOrderType order[] = {0};
  executorch::aten::TensorImpl input(ScalarType::Float, 1, sizes, memory, order);
  ASSERT_EQ(harness.method().set_input(EValue(Tensor(&input)), 0), Error::Ok);
  for (float* at : {memory, memory + 2}) {
    ASSERT_EQ(harness.method().set_output_data_ptr(at, 16, 0), Error::Ok);
    EXPECT_EQ(harness.method().execute(), Error::InvalidArgument);
  }
  ASSERT_EQ(harness.method().set_output_data_ptr(memory + 4, 16, 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(memory[7], -4);
}

TEST_F(CallPlanTest, ViewsAreLookedAtBeforeTheCall) {
  ProgramBuilder b;
  const int x = b.add_tensor(unplanned({4}));
  const int view = b.add_tensor(unplanned({4}));
  const int out = b.add_tensor(unplanned({4}));
  b.call_kernel(b.add_operator("test::view"), {x, view, view});
  b.call_kernel(b.add_operator("test::neg"), {view, out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  float memory[8] = {1, 2, 3, 4};
  SizesType sizes[] = {4};
  executorch::aten::DimOrderType order[] = {0};
  executorch::aten::TensorImpl input(ScalarType::Float, 1, sizes, memory, order);
  ASSERT_EQ(harness.method().set_input(EValue(Tensor(&input)), 0), Error::Ok);
  ASSERT_EQ(harness.method().set_output_data_ptr(memory + 2, 16, 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::InvalidArgument);
  ASSERT_EQ(harness.method().set_output_data_ptr(memory + 4, 16, 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::Ok);
}

TEST_F(CallPlanTest, ValuesThatAreReplacedAreLookedAtBeforeTheCall) {
  for (const bool into_none : {false, true}) {
    ProgramBuilder b;
    b.set_planned_buffers({256});
    const int x = b.add_tensor(at(0, {4}));
    const int out = b.add_tensor(at(8, {4}));
    const int slot = into_none ? b.add_none() : b.add_tensor(at(64, {4}));
    b.move(x, slot);
    b.call_kernel(b.add_operator("test::neg"), {slot, out, out});
    b.set_inputs({x});
    b.set_outputs({out});
    MethodHarness harness(b);
    ASSERT_TRUE(harness.ok());
    ASSERT_EQ(harness.method().set_input(float_tensor({4}, {1, 2, 3, 4}).value(), 0), Error::Ok);
    EXPECT_EQ(harness.method().execute(), Error::InvalidArgument);
  }
  // What is there before does not count.
  ProgramBuilder b;
  b.set_planned_buffers({256});
  const int x = b.add_tensor(at(0, {4}));
  const int out = b.add_tensor(at(64, {4}));
  const int slot = b.add_tensor(at(64, {4}));
  b.move(x, slot);
  b.call_kernel(b.add_operator("test::neg"), {slot, out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().set_input(float_tensor({4}, {1, 2, 3, 4}).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (std::vector<float>{-1, -2, -3, -4}));
}

TEST_F(CallPlanTest, DelegatesThatSayHowManyOutputsTheyHave) {
  const auto program = [](uint64_t offset) {
    ProgramBuilder b;
    b.set_planned_buffers({256});
    const int one = b.add_tensor(at(0, {4}));
    const int two = b.add_tensor(at(16, {4}));
    const int out = b.add_tensor(at(offset, {4}));
    b.call_delegate(b.add_delegate("Add", {1}), {one, two, out});
    b.set_outputs({out});
    return b;
  };
  MethodHarness harness(program(32));
  ASSERT_TRUE(harness.ok());
  EXPECT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(load(program(0)), Error::InvalidProgram);
  EXPECT_EQ(load(program(28)), Error::InvalidProgram);

  ProgramBuilder constant;
  const int x = constant.add_planned_tensor({2});
  const int out = constant.add_constant_tensor({5, 6});
  constant.call_delegate(constant.add_delegate("Add", {1}), {x, x, out});
  EXPECT_EQ(load(constant), Error::InvalidProgram);
}

TEST_F(CallPlanTest, DelegatesWithMemoryOfTheApplication) {
  ProgramBuilder b;
  const int x = b.add_tensor(unplanned({4}));
  const int out = b.add_tensor(unplanned({4}));
  b.call_delegate(b.add_delegate("Add", {1}), {x, x, out});
  b.set_inputs({x});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  float memory[8] = {1, 2, 3, 4};
  SizesType sizes[] = {4};
  executorch::aten::DimOrderType order[] = {0};
  executorch::aten::TensorImpl input(ScalarType::Float, 1, sizes, memory, order);
  ASSERT_EQ(harness.method().set_input(EValue(Tensor(&input)), 0), Error::Ok);
  ASSERT_EQ(harness.method().set_output_data_ptr(memory + 2, 16, 0), Error::Ok);
  backend.num_calls = 0;
  EXPECT_EQ(harness.method().execute(), Error::InvalidArgument);
  EXPECT_EQ(backend.num_calls, 0);
  ASSERT_EQ(harness.method().set_output_data_ptr(memory + 4, 16, 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(memory[7], 8);
}

// An input of the method is not the delegate's to write unless its memory reaches to the bound.
TEST_F(CallPlanTest, DelegatesDoNotWriteWhatIsTooSmall) {
  ProgramBuilder b;
  const int x = b.add_tensor(unplanned({4}, kBound));
  const int y = b.add_planned_tensor({4});
  b.call_delegate(b.add_delegate("Add", {1}), {y, y, x});
  b.set_inputs({x});
  b.set_outputs({x});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  backend.num_calls = 0;
  const auto small = float_tensor({2}, {1, 2});
  ASSERT_EQ(harness.method().set_input(small.value(), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::InvalidProgram);
  EXPECT_EQ(backend.num_calls, 0);
  const auto large = float_tensor({4}, {1, 2, 3, 4});
  ASSERT_EQ(harness.method().set_input(large.value(), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::Ok);
}

TEST_F(CallPlanTest, LongListsInEveryCallAreRefusedAtOnce) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({1});
  const int out = b.add_planned_tensor({1});
  const int list = b.add_tensor_list(std::vector<int32_t>(50'000, x));
  const int op = b.add_operator("test::concat");
  for (int i = 0; i < 600; ++i) {
    b.call_kernel(op, {list, out, out});
  }
  PteFile file = b.build();
  MemoryLoader loader(file);
  const Result<Program> program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  MethodMemory memory(*program->method_meta("forward"), 2 << 20);
  EXPECT_EQ(program->load_method("forward", memory.manager.get()).error(), Error::InvalidProgram);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
