/// @file
/// Plain C types shared by the platform layer and its users.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Time in platform-defined ticks; see et_pal_ticks_to_ns_multiplier() for the unit.
typedef uint64_t et_timestamp_t;

/// Ratio that turns ticks into nanoseconds: ns = ticks * numerator / denominator.
typedef struct {
  uint64_t numerator;
  uint64_t denominator;
} et_tick_ratio_t;

#ifdef __cplusplus
}  // extern "C"
#endif
