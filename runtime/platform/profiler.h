/// @file
/// Names of the former built-in profiler, kept so that existing sources compile. They cost nothing
/// and record nothing: profiling goes through the event tracer (core/event_tracer.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/types.h>

#ifdef PROFILING_ENABLED
#error \
    "PROFILING_ENABLED is not supported; build with ET_EVENT_TRACER_ENABLED and use an EventTracer"
#endif

namespace executorch {
namespace runtime {

/// What EXECUTORCH_DUMP_PROFILE_RESULTS would hand out: always empty.
typedef struct {
  uint8_t* prof_data;
  uint32_t num_bytes;
  uint32_t num_blocks;
} prof_result_t;

/// The instruction that an event would belong to.
typedef struct {
  int32_t chain_idx;
  uint32_t instruction_idx;
} prof_state_t;

inline void profiler_init() {}
inline uint32_t begin_profiling(const char*) { return 0; }
inline void end_profiling(uint32_t /*token_id*/) {}
inline void profiling_create_block(const char*) {}
inline void reset_profile_stats() {}
inline void dump_profile_stats(prof_result_t* result) { *result = prof_result_t{nullptr, 0, 0}; }
inline uint32_t track_allocator(const char*) { return 0; }
inline void track_allocation(int32_t /*id*/, uint32_t /*size*/) {}
inline void set_profile_tls_state(const prof_state_t& /*state*/) {}
inline prof_state_t get_profile_tls_state() { return {-1, 0}; }

/// A scope that would be an event.
class ExecutorchProfiler {
 public:
  explicit ExecutorchProfiler(const char* /*name*/) {}
};

/// A scope in which events would belong to an instruction.
class ExecutorchProfilerInstructionScope {
 public:
  explicit ExecutorchProfilerInstructionScope(const prof_state_t& /*state*/) {}
};

}  // namespace runtime
}  // namespace executorch

#define EXECUTORCH_PROFILE_CREATE_BLOCK(name) ({ (void)(name); })
#define EXECUTORCH_BEGIN_PROF(name) \
  ({                                \
    (void)(name);                   \
    -1;                             \
  })
#define EXECUTORCH_END_PROF(token_id) ({ (void)(token_id); })
#define EXECUTORCH_SCOPE_PROF(name) ({ (void)(name); })
#define EXECUTORCH_PROFILE_INSTRUCTION_SCOPE(chain_idx, instruction_idx) \
  ({                                                                     \
    (void)(chain_idx);                                                   \
    (void)(instruction_idx);                                             \
  })
#define EXECUTORCH_RESET_PROFILE_RESULTS() ((void)0)
#define EXECUTORCH_DUMP_PROFILE_RESULTS(result) \
  (*(result) = ::executorch::runtime::prof_result_t{nullptr, 0, 0})
#define EXECUTORCH_TRACK_ALLOCATOR(name) \
  ({                                     \
    (void)(name);                        \
    -1;                                  \
  })
#define EXECUTORCH_TRACK_ALLOCATION(id, size) \
  ({                                          \
    (void)(id);                               \
    (void)(size);                             \
  })

namespace torch {
namespace executor {
using ::executorch::runtime::begin_profiling;
using ::executorch::runtime::dump_profile_stats;
using ::executorch::runtime::end_profiling;
using ::executorch::runtime::ExecutorchProfiler;
using ::executorch::runtime::ExecutorchProfilerInstructionScope;
using ::executorch::runtime::get_profile_tls_state;
using ::executorch::runtime::prof_result_t;
using ::executorch::runtime::prof_state_t;
using ::executorch::runtime::profiler_init;
using ::executorch::runtime::profiling_create_block;
using ::executorch::runtime::reset_profile_stats;
using ::executorch::runtime::set_profile_tls_state;
using ::executorch::runtime::track_allocation;
using ::executorch::runtime::track_allocator;
}  // namespace executor
}  // namespace torch
