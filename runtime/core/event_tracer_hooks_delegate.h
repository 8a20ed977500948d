/// @file
/// Hooks of backends into the event tracer. Without ET_EVENT_TRACER_ENABLED they compile to
/// nothing.
///
/// An event is known by a name or by a number, the same that the backend recorded ahead of time;
/// pass null or kUnsetDelegateDebugIntId for the other.
#pragma once

#include <cstddef>
#include <type_traits>

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/event_tracer_hooks.h>

namespace executorch {
namespace runtime {

// See event_tracer_hooks.h for the reason of the inline namespace.
#ifdef ET_EVENT_TRACER_ENABLED
inline namespace event_tracer_on {
#else
inline namespace event_tracer_off {
#endif

/// Starts timing an event. End it with event_tracer_end_profiling_delegate().
inline EventTracerEntry event_tracer_start_profiling_delegate(
    EventTracer* event_tracer, const char* name, DelegateDebugIntId delegate_debug_id) {
  if (internal::event_tracer_profiles_all(event_tracer)) {
    return event_tracer->start_profiling_delegate(name, delegate_debug_id);
  }
  return EventTracerEntry{};
}

/// Ends an event, with `metadata_len` bytes for the backend's own parser (copied).
inline void event_tracer_end_profiling_delegate(EventTracer* event_tracer,
                                                EventTracerEntry event_tracer_entry,
                                                const void* metadata = nullptr,
                                                size_t metadata_len = 0) {
  if (internal::event_tracer_profiles_all(event_tracer)) {
    event_tracer->end_profiling_delegate(event_tracer_entry, metadata, metadata_len);
  }
}

/// Reports an event after it happened, for backends that learn times only at the end.
inline void event_tracer_log_profiling_delegate(EventTracer* event_tracer, const char* name,
                                                DelegateDebugIntId delegate_debug_id,
                                                et_timestamp_t start_time, et_timestamp_t end_time,
                                                const void* metadata = nullptr,
                                                size_t metadata_len = 0) {
  if (internal::event_tracer_profiles_all(event_tracer)) {
    event_tracer->log_profiling_delegate(name, delegate_debug_id, start_time, end_time, metadata,
                                         metadata_len);
  }
}

/// Logs an intermediate output if the level asks for it. T is Tensor, ArrayRef<Tensor>, int, bool
/// or double.
template <typename T>
inline void event_tracer_log_output_delegate(EventTracer* event_tracer, const char* name,
                                             DelegateDebugIntId delegate_debug_id,
                                             const T& output) {
  static_assert(
      std::is_same<T, int>::value || std::is_same<T, bool>::value ||
          std::is_same<T, double>::value || std::is_same<T, ::executorch::aten::Tensor>::value ||
          std::is_same<T, ::executorch::aten::ArrayRef<::executorch::aten::Tensor>>::value,
      "outputs are Tensor, ArrayRef<Tensor>, int, bool or double");
  if (internal::kEventTracerEnabled && event_tracer != nullptr &&
      event_tracer->event_tracer_debug_level() >= EventTracerDebugLogLevel::kIntermediateOutputs) {
    (void)event_tracer->log_intermediate_output_delegate(name, delegate_debug_id, output);
  }
}

}  // namespace event_tracer_on or event_tracer_off
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::event_tracer_end_profiling_delegate;
using ::executorch::runtime::event_tracer_log_output_delegate;
using ::executorch::runtime::event_tracer_log_profiling_delegate;
using ::executorch::runtime::event_tracer_start_profiling_delegate;
}  // namespace executor
}  // namespace torch
