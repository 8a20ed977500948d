/// @file
/// EventTracer: interface through which the runtime reports what it does, for profiling and
/// debugging. The runtime reports only if built with ET_EVENT_TRACER_ENABLED.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/types.h>

namespace executorch {
namespace runtime {

using AllocatorID = uint32_t;        ///< Names an allocator, see track_allocator().
using ChainID = int32_t;             ///< Index of a chain of instructions.
using DebugHandle = uint32_t;        ///< Index of an instruction in its chain.
using DelegateDebugIntId = int32_t;  ///< A delegate's own number for an event.

constexpr ChainID kUnsetChainId = -1;
constexpr DebugHandle kUnsetDebugHandle = 0;
constexpr DelegateDebugIntId kUnsetDelegateDebugIntId = -1;
constexpr int kUnsetBundledInputIndex = -1;

/// Why a value is logged.
enum class LoggedEValueType {
  kIntermediateOutput = 0,
  kProgramOutput = 1,
};

/// What an event inside a delegate is known by.
enum class DelegateDebugIdType {
  kNone,  ///< Not an event of a delegate.
  kInt,
  kStr,
};

/// Which values are logged.
enum class EventTracerDebugLogLevel {
  kNoLogging,
  kProgramOutputs,
  kIntermediateOutputs,  ///< Also program outputs.
};

/// Which events are timed.
enum class EventTracerProfilingLevel {
  kProfileMethodOnly,
  kProfileAllEvents,
};

/// Token of a running event.
struct EventTracerEntry {
  int64_t event_id;
  ChainID chain_id;
  DebugHandle debug_handle;
  et_timestamp_t start_time;
  DelegateDebugIdType delegate_event_id_type;
};

/// Decides which intermediate outputs of delegates are logged.
class EventTracerFilterBase {
 public:
  virtual ~EventTracerFilterBase() = default;

  /// @param name                 Name of the event, or null if it has a number.
  /// @param delegate_debug_index Number of the event, or kUnsetDelegateDebugIntId.
  ///
  /// @retval true  The output matches, i.e. it is logged.
  virtual Result<bool> filter(const char* name, DelegateDebugIntId delegate_debug_index) = 0;
};

/// Receives the events of one Method (and its backends). Not thread safe.
class EventTracer {
 public:
  virtual ~EventTracer() = default;

  /// Starts a group of events, e.g. one inference; the following ones belong to it.
  virtual void create_event_block(const char* name) = 0;

  /// Starts a timed event. Unset ids are replaced by those of the running instruction.
  virtual EventTracerEntry start_profiling(const char* name, ChainID chain_id = kUnsetChainId,
                                           DebugHandle debug_handle = kUnsetDebugHandle) = 0;

  /// Ends the event; the entry must not be used again.
  virtual void end_profiling(EventTracerEntry prof_entry) = 0;

  /// Starts a timed event inside a delegate, known by a name or a number: the other is null or
  /// kUnsetDelegateDebugIntId.
  virtual EventTracerEntry start_profiling_delegate(const char* name,
                                                    DelegateDebugIntId delegate_debug_index) = 0;

  /// Ends an event inside a delegate, with `metadata_len` bytes for the delegate's own parser.
  virtual void end_profiling_delegate(EventTracerEntry event_tracer_entry,
                                      const void* metadata = nullptr, size_t metadata_len = 0) = 0;

  /// Reports an event inside a delegate after it happened, with times of the delegate's own clock.
  virtual void log_profiling_delegate(const char* name, DelegateDebugIntId delegate_debug_index,
                                      et_timestamp_t start_time, et_timestamp_t end_time,
                                      const void* metadata = nullptr, size_t metadata_len = 0) = 0;

  /// Reports an allocation.
  virtual void track_allocation(AllocatorID id, size_t size) = 0;

  /// Gives an allocator a name; the id stands for it in track_allocation().
  virtual AllocatorID track_allocator(const char* name) = 0;

  /// Logs a value. True if it was logged, false if the level or a filter excludes it.
  virtual Result<bool> log_evalue(const EValue& evalue, LoggedEValueType evalue_type) = 0;

  /// Log an intermediate output of a delegate, known by a name or a number.
  virtual Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const ::executorch::aten::Tensor& output) = 0;
  virtual Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const ::executorch::aten::ArrayRef<::executorch::aten::Tensor> output) = 0;
  virtual Result<bool> log_intermediate_output_delegate(const char* name,
                                                        DelegateDebugIntId delegate_debug_index,
                                                        const int& output) = 0;
  virtual Result<bool> log_intermediate_output_delegate(const char* name,
                                                        DelegateDebugIntId delegate_debug_index,
                                                        const bool& output) = 0;
  virtual Result<bool> log_intermediate_output_delegate(const char* name,
                                                        DelegateDebugIntId delegate_debug_index,
                                                        const double& output) = 0;

  /// Restricts the logging of delegates' intermediate outputs; null removes the filter.
  virtual void set_delegation_intermediate_output_filter(
      EventTracerFilterBase* event_tracer_filter) = 0;

  /// Index of the bundled input that the following events belong to.
  void set_bundled_input_index(int bundled_input_index) {
    bundled_input_index_ = bundled_input_index;
  }
  int bundled_input_index() const { return bundled_input_index_; }

  void set_event_tracer_debug_level(EventTracerDebugLogLevel log_level) {
    event_tracer_debug_level_ = log_level;
  }
  EventTracerDebugLogLevel event_tracer_debug_level() const { return event_tracer_debug_level_; }

  /// Whether intermediate outputs are logged.
  bool intermediate_outputs_logging_status() const {
    return event_tracer_debug_level_ >= EventTracerDebugLogLevel::kIntermediateOutputs;
  }

  void set_event_tracer_profiling_level(EventTracerProfilingLevel profiling_level) {
    event_tracer_profiling_level_ = profiling_level;
  }
  EventTracerProfilingLevel event_tracer_profiling_level() const {
    return event_tracer_profiling_level_;
  }

  /// The running instruction: what events without ids of their own belong to.
  void set_chain_debug_handle(ChainID chain_id, DebugHandle debug_handle) {
    chain_id_ = chain_id;
    debug_handle_ = debug_handle;
  }
  ChainID current_chain_id() const { return chain_id_; }
  DebugHandle current_debug_handle() const { return debug_handle_; }

 protected:
  ChainID chain_id_ = kUnsetChainId;
  DebugHandle debug_handle_ = kUnsetDebugHandle;
  int bundled_input_index_ = kUnsetBundledInputIndex;
  EventTracerDebugLogLevel event_tracer_debug_level_ = EventTracerDebugLogLevel::kNoLogging;
  EventTracerProfilingLevel event_tracer_profiling_level_ =
      EventTracerProfilingLevel::kProfileAllEvents;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::AllocatorID;
using ::executorch::runtime::ChainID;
using ::executorch::runtime::DebugHandle;
using ::executorch::runtime::DelegateDebugIdType;
using ::executorch::runtime::DelegateDebugIntId;
using ::executorch::runtime::EventTracer;
using ::executorch::runtime::EventTracerDebugLogLevel;
using ::executorch::runtime::EventTracerEntry;
using ::executorch::runtime::EventTracerFilterBase;
using ::executorch::runtime::EventTracerProfilingLevel;
using ::executorch::runtime::kUnsetBundledInputIndex;
using ::executorch::runtime::kUnsetChainId;
using ::executorch::runtime::kUnsetDebugHandle;
using ::executorch::runtime::kUnsetDelegateDebugIntId;
using ::executorch::runtime::LoggedEValueType;
}  // namespace executor
}  // namespace torch
