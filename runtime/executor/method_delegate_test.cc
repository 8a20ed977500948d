#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/test_kernels.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using Floats = std::vector<float>;

// A backend whose delegates subtract a constant, the first byte of their data, from their input.
class SubtractBackend final : public BackendInterface {
 public:
  bool is_available() const override { return available; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> compile_specs) const override {
    method_name = context.get_method_name();
    num_specs = compile_specs.size();
    if (num_specs > 0) {
      first_spec = std::string(compile_specs[0].key) + "=" +
                   std::string(static_cast<const char*>(compile_specs[0].value.buffer),
                               compile_specs[0].value.nbytes);
    }
    Result<int> scale = context.get_runtime_spec<int>("scale");
    has_named_data = context.get_named_data_map() != nullptr;
    if (fail_init_at == num_inits) {
      return Error::DelegateInvalidCompatibility;
    }
    auto* amount = context.get_runtime_allocator()->allocateInstance<float>();
    if (amount == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    *amount = static_cast<const uint8_t*>(processed->data())[0];
    *amount *= static_cast<float>(scale.ok() ? *scale : 1);
    if (free_data) {
      processed->Free();
    }
    ++num_inits;
    return static_cast<DelegateHandle*>(amount);
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                Span<EValue*> args) const override {
    if (args.size() != 2) {
      return Error::InvalidArgument;
    }
    if (context.allocate(256) == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    const auto in = args[0]->toTensor();
    const auto out = args[1]->toTensor();
    if (!context.may_write(out)) {
      return Error::InvalidProgram;
    }
    for (ssize_t i = 0; i < in.numel(); ++i) {
      out.mutable_data_ptr<float>()[i] =
          in.const_data_ptr<float>()[i] - *static_cast<const float*>(handle);
    }
    return Error::Ok;
  }

  void destroy(DelegateHandle* handle) const override { destroyed.push_back(handle); }

  void reset() { *this = SubtractBackend(); }

  bool available = true;
  bool free_data = false;
  int fail_init_at = -1;
  mutable int num_inits = 0;
  mutable size_t num_specs = 0;
  mutable std::string method_name;
  mutable std::string first_spec;
  mutable bool has_named_data = false;
  mutable std::vector<DelegateHandle*> destroyed;
};

SubtractBackend backend;

class DelegateTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    register_test_kernels();
    ASSERT_EQ(register_backend({"Subtract", &backend}), Error::Ok);
  }
  void SetUp() override { backend.reset(); }

  // out = x - 3 - 4
  static ProgramBuilder program(bool inline_data = false) {
    ProgramBuilder b;
    const int x = b.add_planned_tensor({2});
    const int middle = b.add_planned_tensor({2});
    const int out = b.add_planned_tensor({2});
    b.call_delegate(b.add_delegate("Subtract", {3}, inline_data, {{"mode", "fast"}}), {x, middle});
    b.call_delegate(b.add_delegate("Subtract", {4}, inline_data), {middle, out});
    b.set_inputs({x});
    b.set_outputs({out});
    return b;
  }
};

TEST_F(DelegateTest, KnowsWhatItMayWrite) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2});
  const int constant = b.add_constant_tensor({5, 6});
  const int delegate = b.add_delegate("Subtract", {3}, false);
  b.call_delegate(delegate, {x, constant});
  b.set_inputs({x});
  b.set_outputs({constant});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().set_input(float_tensor({2}, {10, 20}).value(), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::InvalidProgram);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{5, 6}));
}

TEST_F(DelegateTest, RunsDelegatesFromSegmentsAndInline) {
  for (const bool inline_data : {false, true}) {
    backend.reset();
    {
      MethodHarness harness(program(inline_data));
      ASSERT_TRUE(harness.ok());
      EXPECT_EQ(backend.num_inits, 2);
      EXPECT_EQ(backend.method_name, "forward");
      EXPECT_EQ(backend.num_specs, 0u) << "of the second delegate";
      EXPECT_EQ(backend.first_spec, "mode=fast");
      EXPECT_FALSE(backend.has_named_data);
      ASSERT_EQ(harness.method().set_input(float_tensor({2}, {10, 20}).value(), 0), Error::Ok);
      for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(harness.method().execute(), Error::Ok);
        EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{3, 13}));
        EXPECT_EQ(harness.memory->temp_allocator.used_size(), 0u);
      }
      EXPECT_TRUE(backend.destroyed.empty());
    }
    EXPECT_EQ(backend.destroyed.size(), 2u);
  }
}

TEST_F(DelegateTest, DataLivesUntilTheMethodEndsOrIsFreed) {
  for (const bool free_data : {false, true}) {
    backend.reset();
    backend.free_data = free_data;
    MethodHarness harness(program());
    ASSERT_TRUE(harness.ok());
    // The head is freed, the program is not.
    EXPECT_EQ(harness.loader.num_loaded, 4);
    EXPECT_EQ(harness.loader.num_freed, free_data ? 3 : 1);
    harness.loaded.reset();
    EXPECT_EQ(harness.loader.num_freed, 3);
  }
}

TEST_F(DelegateTest, OptionsReachTheirBackend) {
  BackendOptions<1> options;
  ASSERT_EQ(options.set_option("scale", 2), Error::Ok);
  LoadBackendOptionsMap map;
  ASSERT_EQ(map.set_options("Subtract", options.view()), Error::Ok);
  ASSERT_EQ(map.set_options("Other", {}), Error::Ok);
  MethodHarness harness(program().build(), "forward", nullptr, nullptr, &map);
  ASSERT_TRUE(harness.ok());
  ASSERT_EQ(harness.method().set_input(float_tensor({2}, {10, 20}).value(), 0), Error::Ok);
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(floats(harness.method().get_output(0)), (Floats{-4, 6}));
}

TEST_F(DelegateTest, NamedDataIsAtHand) {
  ProgramBuilder b = program();
  b.add_named_data("weights", {1});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  EXPECT_TRUE(backend.has_named_data);
}

TEST_F(DelegateTest, AbsentAndUnavailableBackendsAreNotFound) {
  ProgramBuilder b;
  b.add_delegate("Absent", {1});
  EXPECT_EQ(MethodHarness(b).error, Error::NotFound);
  backend.available = false;
  EXPECT_EQ(MethodHarness(program()).error, Error::NotFound);
  EXPECT_EQ(backend.num_inits, 0);
}

TEST_F(DelegateTest, FailedInitDestroysOnlyWhatWasInitialized) {
  for (const int fail_at : {0, 1}) {
    backend.reset();
    backend.fail_init_at = fail_at;
    MethodHarness harness(program());
    EXPECT_EQ(harness.error, Error::DelegateInvalidCompatibility);
    EXPECT_EQ(backend.destroyed.size(), static_cast<size_t>(fail_at));
    EXPECT_EQ(harness.loader.num_loaded, harness.loader.num_freed + 1) << "the program";
  }
}

TEST_F(DelegateTest, FailedExecutionFailsTheMethod) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({1});
  b.call_delegate(b.add_delegate("Subtract", {1}), {x});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  EXPECT_EQ(harness.method().execute(), Error::InvalidArgument);
}

TEST_F(DelegateTest, TensorsWithoutMemoryDoNotReachTheBackend) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({1});
  TensorOptions options;
  options.sizes = {1};
  const int out = b.add_tensor(options);
  b.call_delegate(b.add_delegate("Subtract", {1}), {x, out});
  b.set_outputs({out});
  MethodHarness harness(b);
  ASSERT_TRUE(harness.ok());
  EXPECT_EQ(harness.method().execute(), Error::InvalidState);
  float buffer = 0;
  ASSERT_EQ(harness.method().set_output_data_ptr(&buffer, sizeof(buffer), 0), Error::Ok);
  EXPECT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_EQ(buffer, -1);
}

TEST_F(DelegateTest, MissingOperatorsAreFoundBeforeDelegatesAreInitialized) {
  ProgramBuilder b = program();
  b.call_kernel(b.add_operator("absent::op"), {0, 0});
  EXPECT_EQ(MethodHarness(b).error, Error::OperatorMissing);
  EXPECT_EQ(backend.num_inits, 0);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
