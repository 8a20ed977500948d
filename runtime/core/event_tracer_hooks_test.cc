// The hooks in a build with the event tracer on.
#ifndef ET_EVENT_TRACER_ENABLED
#define ET_EVENT_TRACER_ENABLED
#endif

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/core/event_tracer_test_util.h>

using executorch::aten::Tensor;
using executorch::runtime::DelegateDebugIntId;
using executorch::runtime::EValue;
using executorch::runtime::EventTracer;
using executorch::runtime::EventTracerDebugLogLevel;
using executorch::runtime::EventTracerProfilingLevel;
using executorch::runtime::testing::RecordingTracer;
namespace hooks = executorch::runtime::internal;

namespace {

void run_all_hooks(EventTracer* tracer) {
  hooks::event_tracer_create_event_block(tracer, "run");
  hooks::EventTracerProfileMethodScope method(tracer, "method");
  {
    hooks::EventTracerProfileInstructionScope instruction(tracer, 1, 2);
    hooks::EventTracerProfileOpScope op(tracer, "op");
  }
  const auto entry = hooks::event_tracer_begin_profiling_event(tracer, "event");
  hooks::event_tracer_end_profiling_event(tracer, entry);
  const auto id = hooks::event_tracer_track_allocator(tracer, "arena");
  hooks::event_tracer_track_allocation(tracer, id, 64);
  hooks::event_tracer_log_evalue(tracer, EValue(1));
  hooks::event_tracer_log_evalue_output(tracer, EValue(1));
  hooks::event_tracer_set_bundled_input_index(tracer, 3);
  const auto delegate = executorch::runtime::event_tracer_start_profiling_delegate(
      tracer, nullptr, DelegateDebugIntId{7});
  executorch::runtime::event_tracer_end_profiling_delegate(tracer, delegate, "meta", 4);
  executorch::runtime::event_tracer_log_profiling_delegate(
      tracer, "fused", executorch::runtime::kUnsetDelegateDebugIntId, 10, 15);
  executorch::runtime::event_tracer_log_output_delegate(tracer, "fused", -1, 1);
  executorch::runtime::event_tracer_log_output_delegate(tracer, "fused", -1, true);
  executorch::runtime::event_tracer_log_output_delegate(tracer, "fused", -1, 1.0);
}

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
