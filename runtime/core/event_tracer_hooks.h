/// @file
/// Hooks of the runtime into the event tracer. Without ET_EVENT_TRACER_ENABLED they compile to
/// nothing; with it, a null tracer costs one comparison.
#pragma once

#include <cstddef>

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {
namespace internal {

// The hooks are inline functions that differ with the flag. The inline namespace gives the two
// forms different symbols, so that linking libraries built either way is well defined.
#ifdef ET_EVENT_TRACER_ENABLED
inline namespace event_tracer_on {
constexpr bool kEventTracerEnabled = true;
#else
inline namespace event_tracer_off {
constexpr bool kEventTracerEnabled = false;
#endif

/// Events other than whole methods are timed.
inline bool event_tracer_profiles_all(EventTracer* tracer) {
  return kEventTracerEnabled && tracer != nullptr &&
         tracer->event_tracer_profiling_level() > EventTracerProfilingLevel::kProfileMethodOnly;
}

/// Times a scope. The three scopes differ in the profiling level they belong to.
class EventTracerProfileScopeBase {
 protected:
  EventTracerProfileScopeBase(EventTracer* tracer, const char* name) : tracer_(tracer) {
    if (tracer_ != nullptr) {
      entry_ = tracer_->start_profiling(name);
    }
  }
  ~EventTracerProfileScopeBase() {
    if (tracer_ != nullptr) {
      tracer_->end_profiling(entry_);
    }
  }
  EventTracerProfileScopeBase(const EventTracerProfileScopeBase&) = delete;
  EventTracerProfileScopeBase& operator=(const EventTracerProfileScopeBase&) = delete;

 private:
  EventTracer* tracer_;
  EventTracerEntry entry_;
};

#ifdef ET_EVENT_TRACER_ENABLED

/// Times a method: whenever there is a tracer.
class EventTracerProfileMethodScope final : private EventTracerProfileScopeBase {
 public:
  EventTracerProfileMethodScope(EventTracer* tracer, const char* name)
      : EventTracerProfileScopeBase(tracer, name) {}
};

/// Times an operator or another event inside a method.
class EventTracerProfileOpScope final : private EventTracerProfileScopeBase {
 public:
  EventTracerProfileOpScope(EventTracer* tracer, const char* name)
      : EventTracerProfileScopeBase(event_tracer_profiles_all(tracer) ? tracer : nullptr, name) {}
};

/// Makes an instruction the one that events belong to.
class EventTracerProfileInstructionScope final {
 public:
  EventTracerProfileInstructionScope(EventTracer* tracer, ChainID chain_idx,
                                     DebugHandle debug_handle)
      : tracer_(event_tracer_profiles_all(tracer) ? tracer : nullptr) {
    if (tracer_ != nullptr) {
      tracer_->set_chain_debug_handle(chain_idx, debug_handle);
    }
  }
  ~EventTracerProfileInstructionScope() {
    if (tracer_ != nullptr) {
      tracer_->set_chain_debug_handle(kUnsetChainId, kUnsetDebugHandle);
    }
  }
  EventTracerProfileInstructionScope(const EventTracerProfileInstructionScope&) = delete;
  EventTracerProfileInstructionScope& operator=(const EventTracerProfileInstructionScope&) = delete;

 private:
  EventTracer* tracer_;
};

#else  // ET_EVENT_TRACER_ENABLED

struct EventTracerProfileMethodScope final {
  EventTracerProfileMethodScope(EventTracer*, const char*) {}
  ~EventTracerProfileMethodScope() {}
};
struct EventTracerProfileOpScope final {
  EventTracerProfileOpScope(EventTracer*, const char*) {}
  ~EventTracerProfileOpScope() {}
};
struct EventTracerProfileInstructionScope final {
  EventTracerProfileInstructionScope(EventTracer*, ChainID, DebugHandle) {}
  ~EventTracerProfileInstructionScope() {}
};

#endif  // ET_EVENT_TRACER_ENABLED

using EventTracerProfileScope = EventTracerProfileOpScope;

/// Starts a group of events.
inline void event_tracer_create_event_block(EventTracer* tracer, const char* name) {
  if (kEventTracerEnabled && tracer != nullptr) {
    tracer->create_event_block(name);
  }
}

/// Starts an event that event_tracer_end_profiling_event() ends.
inline EventTracerEntry event_tracer_begin_profiling_event(EventTracer* tracer, const char* name) {
  if (event_tracer_profiles_all(tracer)) {
    return tracer->start_profiling(name);
  }
  return EventTracerEntry{};
}

inline void event_tracer_end_profiling_event(EventTracer* tracer, EventTracerEntry prof_entry) {
  if (event_tracer_profiles_all(tracer)) {
    tracer->end_profiling(prof_entry);
  }
}

/// Whether this build reports to event tracers.
constexpr bool event_tracer_enabled() { return kEventTracerEnabled; }

/// Names an allocator; 0 without a tracer.
inline AllocatorID event_tracer_track_allocator(EventTracer* tracer, const char* name) {
  if (kEventTracerEnabled && tracer != nullptr) {
    return tracer->track_allocator(name);
  }
  return 0;
}

inline void event_tracer_track_allocation(EventTracer* tracer, AllocatorID id, size_t size) {
  if (kEventTracerEnabled && tracer != nullptr) {
    tracer->track_allocation(id, size);
  }
}

/// Logs an intermediate value if the level asks for it.
inline void event_tracer_log_evalue(EventTracer* tracer, const EValue& evalue) {
  if (kEventTracerEnabled && tracer != nullptr &&
      tracer->event_tracer_debug_level() >= EventTracerDebugLogLevel::kIntermediateOutputs) {
    (void)tracer->log_evalue(evalue, LoggedEValueType::kIntermediateOutput);
  }
}

/// Logs an output of the program if the level asks for it.
inline void event_tracer_log_evalue_output(EventTracer* tracer, const EValue& evalue) {
  if (kEventTracerEnabled && tracer != nullptr &&
      tracer->event_tracer_debug_level() >= EventTracerDebugLogLevel::kProgramOutputs) {
    (void)tracer->log_evalue(evalue, LoggedEValueType::kProgramOutput);
  }
}

inline void event_tracer_set_bundled_input_index(EventTracer* tracer, int bundled_input_index) {
  if (kEventTracerEnabled && tracer != nullptr) {
    tracer->set_bundled_input_index(bundled_input_index);
  }
}

}  // namespace event_tracer_on or event_tracer_off
}  // namespace internal
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
namespace internal {
using ::executorch::runtime::internal::event_tracer_begin_profiling_event;
using ::executorch::runtime::internal::event_tracer_create_event_block;
using ::executorch::runtime::internal::event_tracer_end_profiling_event;
using ::executorch::runtime::internal::event_tracer_log_evalue;
using ::executorch::runtime::internal::event_tracer_log_evalue_output;
using ::executorch::runtime::internal::event_tracer_set_bundled_input_index;
using ::executorch::runtime::internal::event_tracer_track_allocation;
using ::executorch::runtime::internal::event_tracer_track_allocator;
using ::executorch::runtime::internal::EventTracerProfileInstructionScope;
using ::executorch::runtime::internal::EventTracerProfileMethodScope;
using ::executorch::runtime::internal::EventTracerProfileOpScope;
using ::executorch::runtime::internal::EventTracerProfileScope;
}  // namespace internal
}  // namespace executor
}  // namespace torch
