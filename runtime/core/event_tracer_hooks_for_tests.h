/// @file
/// Calls of all the hooks, which the build that includes this has on or off.
#pragma once

#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>

namespace executorch {
namespace runtime {
namespace testing {

inline void run_all_hooks(EventTracer* tracer) {
  internal::event_tracer_create_event_block(tracer, "run");
  internal::EventTracerProfileMethodScope method(tracer, "method");
  {
    internal::EventTracerProfileInstructionScope instruction(tracer, 1, 2);
    internal::EventTracerProfileOpScope op(tracer, "op");
  }
  const auto entry = internal::event_tracer_begin_profiling_event(tracer, "event");
  internal::event_tracer_end_profiling_event(tracer, entry);
  const auto id = internal::event_tracer_track_allocator(tracer, "arena");
  internal::event_tracer_track_allocation(tracer, id, 64);
  internal::event_tracer_log_evalue(tracer, EValue(1));
  internal::event_tracer_log_evalue_output(tracer, EValue(1));
  internal::event_tracer_set_bundled_input_index(tracer, 3);
  const auto delegate =
      event_tracer_start_profiling_delegate(tracer, nullptr, DelegateDebugIntId{7});
  event_tracer_end_profiling_delegate(tracer, delegate, "meta", 4);
  event_tracer_log_profiling_delegate(tracer, "fused", kUnsetDelegateDebugIntId, 10, 15);
  event_tracer_log_output_delegate(tracer, "fused", -1, 1);
  event_tracer_log_output_delegate(tracer, "fused", -1, true);
  event_tracer_log_output_delegate(tracer, "fused", -1, 1.0);
}

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
