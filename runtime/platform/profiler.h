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
using ::executorch::runtime::prof_result_t;
}  // namespace executor
}  // namespace torch
