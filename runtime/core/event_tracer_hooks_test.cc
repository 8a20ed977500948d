// The hooks in a build with the event tracer on.
#ifndef ET_EVENT_TRACER_ENABLED
#define ET_EVENT_TRACER_ENABLED
#endif

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/event_tracer_hooks_for_tests.h>
#include <executorch/runtime/core/event_tracer_test_util.h>

using executorch::runtime::EventTracerDebugLogLevel;
using executorch::runtime::EventTracerProfilingLevel;
using executorch::runtime::testing::RecordingTracer;
using executorch::runtime::testing::run_all_hooks;
namespace hooks = executorch::runtime::internal;

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

TEST(EventTracerHooksTest, NullTracerIsFine) { run_all_hooks(nullptr); }

TEST(EventTracerHooksTest, EverythingIsReported) {
  RecordingTracer tracer;
  tracer.set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  run_all_hooks(&tracer);
  EXPECT_THAT(tracer.log,
              ElementsAre("block run", "start method", "start op", "end 17", "start event",
                          "end 17", "allocator arena", "allocation 5/64", "evalue intermediate",
                          "evalue output", "start_delegate 7", "end_delegate 18/4",
                          "log_delegate fused/5", "delegate_output int", "delegate_output bool",
                          "delegate_output double", "end 17"));
  EXPECT_EQ(tracer.bundled_input_index(), 3);
}

TEST(EventTracerHooksTest, InstructionScopeSetsTheIds) {
  RecordingTracer tracer;
  {
    hooks::EventTracerProfileInstructionScope instruction(&tracer, 1, 2);
    hooks::EventTracerProfileOpScope op(&tracer, "op");
    EXPECT_EQ(tracer.last_chain, 1);
    EXPECT_EQ(tracer.last_handle, 2u);
  }
  EXPECT_EQ(tracer.current_chain_id(), executorch::runtime::kUnsetChainId);
  EXPECT_EQ(tracer.current_debug_handle(), executorch::runtime::kUnsetDebugHandle);
}

TEST(EventTracerHooksTest, LevelsLimitWhatIsReported) {
  RecordingTracer tracer;
  tracer.set_event_tracer_profiling_level(EventTracerProfilingLevel::kProfileMethodOnly);
  tracer.set_event_tracer_debug_level(EventTracerDebugLogLevel::kProgramOutputs);
  run_all_hooks(&tracer);
  EXPECT_THAT(tracer.log, ElementsAre("block run", "start method", "allocator arena",
                                      "allocation 5/64", "evalue output", "end 17"));
  tracer.log.clear();
  tracer.set_event_tracer_debug_level(EventTracerDebugLogLevel::kNoLogging);
  run_all_hooks(&tracer);
  EXPECT_THAT(tracer.log, Not(Contains("evalue output")));
}

}  // namespace
