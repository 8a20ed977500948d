// The hooks in a build with the event tracer off: a tracer is never called.
#undef ET_EVENT_TRACER_ENABLED

#include <type_traits>

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

TEST(EventTracerHooksOffTest, NothingIsReported) {
  RecordingTracer tracer;
  tracer.set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  tracer.set_event_tracer_profiling_level(EventTracerProfilingLevel::kProfileAllEvents);
  run_all_hooks(&tracer);
  EXPECT_TRUE(tracer.log.empty());
  EXPECT_EQ(tracer.bundled_input_index(), executorch::runtime::kUnsetBundledInputIndex);
}

TEST(EventTracerHooksOffTest, ScopesAreEmpty) {
  EXPECT_TRUE(std::is_empty<hooks::EventTracerProfileMethodScope>::value);
  EXPECT_TRUE(std::is_empty<hooks::EventTracerProfileOpScope>::value);
  EXPECT_TRUE(std::is_empty<hooks::EventTracerProfileInstructionScope>::value);
}

}  // namespace
