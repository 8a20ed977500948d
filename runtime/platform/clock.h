/// @file
/// Conversion of PAL ticks to nanoseconds.
#pragma once

#include <cstdint>

#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/types.h>

namespace executorch {
namespace runtime {

/// Nanoseconds in `ticks`, rounded down.
inline uint64_t ticks_to_ns(et_timestamp_t ticks) {
  const et_tick_ratio_t ratio = pal_ticks_to_ns_multiplier();
  if (ratio.denominator == 0) {
    return 0;
  }
  // Whole and fractional parts apart: ticks * numerator alone overflows after a few hours on
  // platforms whose ratio is not reduced.
  const uint64_t whole = ticks / ratio.denominator;
  const uint64_t rest = ticks % ratio.denominator;
  return whole * ratio.numerator + rest * ratio.numerator / ratio.denominator;
}

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::ticks_to_ns;
}  // namespace executor
}  // namespace torch
