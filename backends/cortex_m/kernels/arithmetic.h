/**
 * @file
 * Factors between scales as integers, as TensorFlow Lite and CMSIS-NN define them: a multiplier of
 * 31 fractional bits and a power of two, two roundings.
 */
#pragma once

#include <cstdint>

#if !defined(EXECUTORCH_CORTEX_M_PORTABLE)
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1)
#define EXECUTORCH_CORTEX_M_MVE 1
#include <arm_mve.h>
#elif defined(__ARM_FEATURE_DSP) && defined(__ARM_FEATURE_SIMD32) && __ARM_ARCH_PROFILE == 'M'
#define EXECUTORCH_CORTEX_M_DSP 1
#include <arm_acle.h>
#endif
#endif

namespace cortex_m::native {

/// A factor: multiplier * 2^(shift - 31).
struct Factor {
  int32_t multiplier;
  int32_t shift;
};

/// The largest distance that sums are shifted by.
constexpr int32_t kMostShift = 31;

/// Half of the product's 2^31st part, rounded; halves go up.
inline int32_t high_product(int32_t value, int32_t multiplier) {
  return static_cast<int32_t>((int64_t{value} * multiplier + (int64_t{1} << 30)) >> 31);
}

/// value / 2^exponent, rounded; halves go away from zero.
inline int32_t divide_by_power(int32_t value, int32_t exponent) {
  const int32_t mask = static_cast<int32_t>((uint32_t{1} << exponent) - 1);
  const int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> exponent) + ((value & mask) > threshold ? 1 : 0);
}

/// value times the factor.
inline int32_t requantize(int32_t value, Factor factor) {
  const int32_t left = factor.shift > 0 ? factor.shift : 0;
  const int32_t right = factor.shift > 0 ? 0 : -factor.shift;
  const auto shifted = static_cast<int32_t>(static_cast<uint32_t>(value) << left);
  return divide_by_power(high_product(shifted, factor.multiplier), right);
}

/// The largest sum, and how far it is shifted, for `requantize_narrow`.
constexpr int32_t kNarrowSum = 1 << 30;
constexpr int32_t kLeastNarrowShift = -30;

/// The upper half of a product, rounded; halves go up.
inline int32_t upper_product(int32_t one, int32_t other) {
#if EXECUTORCH_CORTEX_M_DSP
  int32_t product;
  __asm__("smmulr %0, %1, %2" : "=r"(product) : "r"(one), "r"(other));
  return product;
#else
  return static_cast<int32_t>((int64_t{one} * other + (int64_t{1} << 31)) >> 32);
#endif
}

/// `requantize` in fewer instructions, for |value| < kNarrowSum and a shift from
/// kLeastNarrowShift to -1: nothing overflows 32 bits.
inline int32_t requantize_narrow(int32_t value, Factor factor) {
  const int32_t product = upper_product(2 * value, factor.multiplier);
  const int32_t half = 1 << (-factor.shift - 1);
  // One less where the value is negative makes halves go away from zero.
  return (product + (product >> 31) + half) >> -factor.shift;
}

/// What becomes of a sum that has the output's scale.
struct Output {
  int32_t offset;
  int32_t min;
  int32_t max;
};

template <typename T = int8_t>
inline T bounded(int32_t value, Output output) {
  value += output.offset;
  value = value < output.min ? output.min : value;
  return static_cast<T>(value > output.max ? output.max : value);
}

template <typename T = int8_t>
inline T finish(int32_t value, Factor factor, Output output) {
  return bounded<T>(requantize(value, factor), output);
}

/// The bits of a factor for int16.
constexpr int32_t kWideBits = 15;

/// A sum of 64 bits times the factor with 15 bits, rounded once; halves go up. For |sum| < 2^47 and
/// a shift below 15.
inline int16_t finish_wide(int64_t sum, Factor factor, Output output) {
  const int32_t reduced =
      factor.multiplier < 0x7FFF0000 ? (factor.multiplier + (1 << 15)) >> 16 : 0x7FFF;
  const int32_t right = kWideBits - factor.shift;
  const int64_t value = (sum * reduced + (int64_t{1} << (right - 1))) >> right;
  if (value <= output.min) {
    return static_cast<int16_t>(output.min);
  }
  return static_cast<int16_t>(value < output.max ? value : output.max);
}

#if EXECUTORCH_CORTEX_M_MVE

inline int32x4_t divide_by_power(int32x4_t value, int32x4_t minus_exponent) {
  // The rounding shift rounds halves up; one less where the value is negative rounds them down.
  const int32x4_t fixup = vshrq_n_s32(vandq_s32(value, minus_exponent), 31);
  return vrshlq_s32(vqaddq_s32(value, fixup), minus_exponent);
}

/// Four values times one factor.
inline int32x4_t requantize(int32x4_t values, Factor factor) {
  const int32_t left = factor.shift > 0 ? factor.shift : 0;
  const int32_t right = factor.shift > 0 ? 0 : factor.shift;
  const int32x4_t product = vqrdmulhq_n_s32(vshlq_r_s32(values, left), factor.multiplier);
  return divide_by_power(product, vdupq_n_s32(right));
}

/// Four values times a factor each.
inline int32x4_t requantize(int32x4_t values, int32x4_t multipliers, int32x4_t shifts) {
  const int32x4_t zero = vdupq_n_s32(0);
  const int32x4_t product = vqrdmulhq_s32(vshlq_s32(values, vmaxq_s32(shifts, zero)), multipliers);
  return divide_by_power(product, vminq_s32(shifts, zero));
}

inline int32x4_t finish(int32x4_t values, Output output) {
  const int32x4_t result = vaddq_n_s32(values, output.offset);
  return vminq_s32(vmaxq_s32(result, vdupq_n_s32(output.min)), vdupq_n_s32(output.max));
}

#endif

}  // namespace cortex_m::native
