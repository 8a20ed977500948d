// The hooks in a build with the event tracer off: a tracer is never called.
#undef ET_EVENT_TRACER_ENABLED

#include <type_traits>

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
