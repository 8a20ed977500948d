// Built together with an executor that has the event tracer on.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/runtime/core/event_tracer_test_util.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/run_all.h>
#include <executorch/runtime/executor/testing/sample_programs.h>
#include <executorch/runtime/executor/testing/test_kernels.h>
#include <executorch/runtime/kernel/operator_registry.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using ::testing::ElementsAre;

// Also remembers where each event started.
class PlaceTracer final : public RecordingTracer {
 public:
  EventTracerEntry start_profiling(const char* name, ChainID chain, DebugHandle handle) override {
    const EventTracerEntry entry = RecordingTracer::start_profiling(name, chain, handle);
    places.emplace_back(last_chain, last_handle);
    return entry;
  }
  std::vector<std::pair<ChainID, DebugHandle>> places;
};

class EventTracerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    register_test_kernels();
    register_sample_backend();
  }

  // A kernel call in each of two chains, and a delegate call.
  static ProgramBuilder program() {
    ProgramBuilder b;
    const int x = b.add_planned_tensor({1});
    const int y = b.add_planned_tensor({1});
    b.call_kernel(b.add_operator("test::neg"), {y, x, x});
    b.begin_chain();
    b.call_delegate(b.add_delegate(kSampleBackend, {1}), {x, x});
    b.call_kernel(b.add_operator("plain::op", ""), {x});
    b.set_outputs({x});
    return b;
  }
};

void plain_op(KernelRuntimeContext&, Span<EValue*>) {}

TEST_F(EventTracerTest, ReportsLoadingAndEveryCall) {
  ASSERT_EQ(register_kernel(Kernel("plain::op", plain_op)), Error::Ok);
  PlaceTracer tracer;
  MethodHarness harness(program().build(), "forward", nullptr, &tracer);
  ASSERT_TRUE(harness.ok());
  EXPECT_EQ(harness.method().get_event_tracer(), &tracer);
  EXPECT_THAT(tracer.log, ElementsAre("block Default", "start Program::load_method",
                                      "start Method::init", "end 17", "end 17"));

  tracer.log.clear();
  tracer.places.clear();
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_THAT(tracer.log,
              ElementsAre("block Execute", "start Method::execute", "start OPERATOR_CALL",
                          "start native_call_neg.out", "end 17", "end 17", "start DELEGATE_CALL",
                          "end 17", "start OPERATOR_CALL", "end 17", "end 17"));
  using Place = std::pair<ChainID, DebugHandle>;
  EXPECT_THAT(tracer.places, ElementsAre(Place(kUnsetChainId, kUnsetDebugHandle), Place(0, 0),
                                         Place(0, 0), Place(1, 0), Place(1, 1)));
}

// A kernel's event has the name that released runtimes give it, which depends on how it was
// registered.
TEST_F(EventTracerTest, NamesKernelsAsReleasedRuntimesDo) {
  constexpr WrittenArguments kLast = WrittenArguments().with(0);
  const Kernel kernels[] = {
      Kernel("generated::op.out", plain_op, kLast),
      Kernel("generated::special.out", KernelKey("v1/6;0"), plain_op),
      Kernel("library::op.out", plain_op, kLast.with_whole_event_name()),
      Kernel("llama::op.out", plain_op, kLast),
      Kernel("by_hand::op.out", plain_op),
      Kernel("executorch_prim::op.Scalar", plain_op, kLast),
  };
  ASSERT_EQ(register_kernels(kernels), Error::Ok);
  ProgramBuilder b;
  const int x = b.add_planned_tensor({1});
  for (const char* name :
       {"generated::op", "generated::special", "library::op", "llama::op", "by_hand::op"}) {
    b.call_kernel(b.add_operator(name), {x});
  }
  b.call_kernel(b.add_operator("executorch_prim::op", "Scalar"), {x});
  b.set_outputs({x});
  PlaceTracer tracer;
  MethodHarness harness(b.build(), "forward", nullptr, &tracer);
  ASSERT_TRUE(harness.ok());
  tracer.log.clear();
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  std::vector<std::string> started;
  for (const std::string& line : tracer.log) {
    if (line.rfind("start ", 0) == 0) {
      started.push_back(line.substr(sizeof("start ") - 1));
    }
  }
  EXPECT_THAT(started,
              ElementsAre("Method::execute", "OPERATOR_CALL", "native_call_op.out", "OPERATOR_CALL",
                          "native_call_special.out", "OPERATOR_CALL", "library::op.out",
                          "OPERATOR_CALL", "llama::op.out", "OPERATOR_CALL", "OPERATOR_CALL"));
}

TEST_F(EventTracerTest, ReportsValuesIfAskedTo) {
  RecordingTracer tracer;
  tracer.set_event_tracer_profiling_level(EventTracerProfilingLevel::kProfileMethodOnly);
  tracer.set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  MethodHarness harness(sample_programs()[3], "forward", nullptr, &tracer);
  ASSERT_TRUE(harness.ok());
  const TestTensor<uint8_t> condition(executorch::aten::ScalarType::Bool, {1}, {1});
  ASSERT_EQ(harness.method().set_inputs({condition.value(), float_tensor({2}, {1, 2}).value()}),
            Error::Ok);
  tracer.log.clear();
  ASSERT_EQ(harness.method().execute(), Error::Ok);
  EXPECT_THAT(tracer.log,
              ElementsAre("block Execute", "start Method::execute", "evalue intermediate",
                          "evalue intermediate", "evalue output", "end 17"));
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
