/// @file
/// bfloat16: the upper half of a binary32 number; arithmetic goes through float.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<torch/headeronly/util/BFloat16.h>)
#include_next <torch/headeronly/util/BFloat16.h>
#else
#include <torch/headeronly/util/BFloat16.h>
#endif
#elif !defined(ET_TORCH_HEADERONLY_UTIL_BFLOAT16_H_)
#define ET_TORCH_HEADERONLY_UTIL_BFLOAT16_H_

#include <cstdint>
#include <limits>

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/macros/Macros.h>
#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/Half.h>
#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/floating_point_utils.h>

namespace c10 {
namespace detail {

/// Exact value of a bfloat16 bit pattern.
inline float f32_from_bits(uint16_t bits) {
  return fp32_from_bits(static_cast<uint32_t>(bits) << 16);
}

/// Upper 16 bits of `value`: rounds towards zero.
inline uint16_t bits_from_f32(float value) {
  return static_cast<uint16_t>(fp32_to_bits(value) >> 16);
}

/// bfloat16 bits nearest to `value`, ties to even. Every NaN becomes 0x7FC0.
inline uint16_t round_to_nearest_even(float value) {
  const uint32_t bits = fp32_to_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return 0x7FC0u;
  }
  // Adding just under half a unit, plus the last kept bit, makes ties go to the even neighbour.
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace detail

/// Brain float. Implicitly constructible from float and convertible to float.
struct alignas(2) BFloat16 {
  uint16_t x;

  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return from_bits_t(); }

  BFloat16() = default;
  constexpr BFloat16(unsigned short bits, from_bits_t) : x(bits) {}
  inline BFloat16(float value) : x(detail::round_to_nearest_even(value)) {}
  inline operator float() const { return detail::f32_from_bits(x); }
};

C10_INTERNAL_REDUCED_FLOAT_OPERATORS(BFloat16)

}  // namespace c10

namespace std {

template <>
class numeric_limits<c10::BFloat16> : public c10::detail::ReducedFloatLimits {
 public:
  static constexpr bool is_iec559 = false;
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;
  static constexpr int min_exponent = -125;
  static constexpr int min_exponent10 = -37;
  static constexpr int max_exponent = 128;
  static constexpr int max_exponent10 = 38;
  static constexpr c10::BFloat16 min() { return {0x0080, c10::BFloat16::from_bits()}; }
  static constexpr c10::BFloat16 lowest() { return {0xFF7F, c10::BFloat16::from_bits()}; }
  static constexpr c10::BFloat16 max() { return {0x7F7F, c10::BFloat16::from_bits()}; }
  static constexpr c10::BFloat16 epsilon() { return {0x3C00, c10::BFloat16::from_bits()}; }
  static constexpr c10::BFloat16 round_error() { return {0x3F00, c10::BFloat16::from_bits()}; }
  static constexpr c10::BFloat16 infinity() { return {0x7F80, c10::BFloat16::from_bits()}; }
  static constexpr c10::BFloat16 quiet_NaN() { return {0x7FC0, c10::BFloat16::from_bits()}; }
  static constexpr c10::BFloat16 signaling_NaN() { return {0x7FA0, c10::BFloat16::from_bits()}; }
  static constexpr c10::BFloat16 denorm_min() { return {0x0001, c10::BFloat16::from_bits()}; }
};

}  // namespace std

namespace torch {
namespace headeronly {
using c10::BFloat16;
}  // namespace headeronly
}  // namespace torch

#endif  // ET_TORCH_HEADERONLY_UTIL_BFLOAT16_H_
