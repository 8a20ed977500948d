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
  EXPECT_THAT(
      tracer.log,
      ElementsAre("block Execute", "start Method::execute", "start OPERATOR_CALL",
                  "start native_call_neg.out", "end 17", "end 17", "start DELEGATE_CALL", "end 17",
                  "start OPERATOR_CALL", "start native_call_op", "end 17", "end 17", "end 17"));
  using Place = std::pair<ChainID, DebugHandle>;
  EXPECT_THAT(tracer.places, ElementsAre(Place(kUnsetChainId, kUnsetDebugHandle), Place(0, 0),
                                         Place(0, 0), Place(1, 0), Place(1, 1), Place(1, 1)));
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
