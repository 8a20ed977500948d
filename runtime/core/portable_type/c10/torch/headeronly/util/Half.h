/// @file
/// IEEE 754 binary16, stored as 16 bits; arithmetic goes through float.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<torch/headeronly/util/Half.h>)
#include_next <torch/headeronly/util/Half.h>
#else
#include <torch/headeronly/util/Half.h>
#endif
#elif !defined(ET_TORCH_HEADERONLY_UTIL_HALF_H_)
#define ET_TORCH_HEADERONLY_UTIL_HALF_H_

#include <cstdint>
#include <limits>
#include <type_traits>

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/macros/Macros.h>
#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/floating_point_utils.h>

namespace c10 {

// Compilers that know __FLT16_MAX__ have _Float16; it is worth using only where the target converts
// in hardware, elsewhere it becomes a library call (and one that bare-metal builds may lack).
#if defined(__FLT16_MAX__) && (defined(__F16C__) || defined(__ARM_FP16_FORMAT_IEEE) || \
                               defined(__aarch64__) || defined(__AVX512FP16__))
#define ET_INTERNAL_NATIVE_HALF 1
#else
#define ET_INTERNAL_NATIVE_HALF 0
#endif

namespace detail {

/// Exact value of a binary16 bit pattern. NaN payloads are kept.
inline float fp16_ieee_to_fp32_value(uint16_t h) {
#if ET_INTERNAL_NATIVE_HALF
  return static_cast<float>(c10::bit_cast<_Float16>(h));
#else
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 0x1fu;
  const uint32_t mantissa = h & 0x3ffu;
  if (exponent == 0x1fu) {  // Inf and NaN; NaN becomes quiet, as in hardware.
    const uint32_t quiet = mantissa != 0 ? 0x400000u : 0u;
    return fp32_from_bits(sign | 0x7f800000u | (mantissa << 13) | quiet);
  }
  if (exponent == 0) {  // Zero and denormals: mantissa * 2^-24, exact in float.
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return fp32_from_bits(sign | fp32_to_bits(magnitude));
  }
  return fp32_from_bits(sign | ((exponent + (127 - 15)) << 23) | (mantissa << 13));
#endif
}

/// Binary16 bits nearest to `f`, ties to even; too large values become infinity.
inline uint16_t fp16_ieee_from_fp32_value(float f) {
#if ET_INTERNAL_NATIVE_HALF
  return c10::bit_cast<uint16_t>(static_cast<_Float16>(f));
#else
  const uint32_t bits = fp32_to_bits(f);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {  // NaN: keep the upper payload, force quiet.
    return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
  }
  if (magnitude >= 0x47800000u) {  // >= 2^16: infinity.
    return static_cast<uint16_t>(sign | 0x7c00u);
  }
  uint32_t value;      // result before rounding, in units of the last place
  uint32_t remainder;  // what is cut off, and half of a unit to compare it with
  uint32_t half;
  if (magnitude >= 0x38800000u) {  // normal: rebias the exponent, drop 13 bits
    const uint32_t rebased = magnitude - ((127u - 15u) << 23);
    value = rebased >> 13;
    remainder = rebased & 0x1fffu;
    half = 0x1000u;
  } else {
    const uint32_t exponent = magnitude >> 23;
    const uint32_t shift = 126u - exponent;  // denormal: one unit is 2^-24
    if (shift > 24u) {
      return sign;
    }
    const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    value = mantissa >> shift;
    remainder = mantissa & ((1u << shift) - 1u);
    half = 1u << (shift - 1u);
  }
  // A carry out of the mantissa runs into the exponent and gives the right next number or infinity.
  if (remainder > half || (remainder == half && (value & 1u) != 0)) {
    ++value;
  }
  return static_cast<uint16_t>(sign | value);
#endif
}

/// The bits of the float that fp16_ieee_to_fp32_value() gives.
inline uint32_t fp16_ieee_to_fp32_bits(uint16_t h) {
  return fp32_to_bits(fp16_ieee_to_fp32_value(h));
}

/// What the limits of the 16-bit floats have in common.
struct ReducedFloatLimits {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr auto has_denorm = std::numeric_limits<float>::has_denorm;
  static constexpr auto has_denorm_loss = std::numeric_limits<float>::has_denorm_loss;
  static constexpr auto round_style = std::numeric_limits<float>::round_style;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr int radix = 2;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = std::numeric_limits<float>::tinyness_before;
};

}  // namespace detail

/// Half-precision number. Implicitly constructible from float and convertible to float.
struct alignas(2) Half {
  uint16_t x;

  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return from_bits_t(); }

  Half() = default;
  constexpr Half(uint16_t bits, from_bits_t) : x(bits) {}
  inline Half(float value) : x(detail::fp16_ieee_from_fp32_value(value)) {}
  inline operator float() const { return detail::fp16_ieee_to_fp32_value(x); }
};

#define C10_INTERNAL_REDUCED_FLOAT_OPERATORS(T)                                         \
  inline T operator+(const T& a, const T& b) {                                          \
    return static_cast<float>(a) + static_cast<float>(b);                               \
  }                                                                                     \
  inline T operator-(const T& a, const T& b) {                                          \
    return static_cast<float>(a) - static_cast<float>(b);                               \
  }                                                                                     \
  inline T operator*(const T& a, const T& b) {                                          \
    return static_cast<float>(a) * static_cast<float>(b);                               \
  }                                                                                     \
  inline T operator/(const T& a, const T& b) {                                          \
    return static_cast<float>(a) / static_cast<float>(b);                               \
  }                                                                                     \
  inline T operator-(const T& a) {                                                      \
    return T(static_cast<uint16_t>(a.x ^ 0x8000u), T::from_bits());                     \
  }                                                                                     \
  inline T& operator+=(T& a, const T& b) { return a = a + b; }                          \
  inline T& operator-=(T& a, const T& b) { return a = a - b; }                          \
  inline T& operator*=(T& a, const T& b) { return a = a * b; }                          \
  inline T& operator/=(T& a, const T& b) { return a = a / b; }                          \
  C10_INTERNAL_REDUCED_FLOAT_MIXED(T, float)                                            \
  C10_INTERNAL_REDUCED_FLOAT_MIXED(T, double)                                           \
  inline float& operator+=(float& a, const T& b) { return a += static_cast<float>(b); } \
  inline float& operator-=(float& a, const T& b) { return a -= static_cast<float>(b); } \
  inline float& operator*=(float& a, const T& b) { return a *= static_cast<float>(b); } \
  inline float& operator/=(float& a, const T& b) { return a /= static_cast<float>(b); } \
  C10_INTERNAL_REDUCED_INT_MIXED(T, int)                                                \
  C10_INTERNAL_REDUCED_INT_MIXED(T, int64_t)

// With float and double the wider type wins; with an integer the reduced float wins, as in PyTorch.
#define C10_INTERNAL_REDUCED_FLOAT_MIXED(T, W)                                       \
  inline W operator+(T a, W b) { return static_cast<W>(static_cast<float>(a)) + b; } \
  inline W operator-(T a, W b) { return static_cast<W>(static_cast<float>(a)) - b; } \
  inline W operator*(T a, W b) { return static_cast<W>(static_cast<float>(a)) * b; } \
  inline W operator/(T a, W b) { return static_cast<W>(static_cast<float>(a)) / b; } \
  inline W operator+(W a, T b) { return a + static_cast<W>(static_cast<float>(b)); } \
  inline W operator-(W a, T b) { return a - static_cast<W>(static_cast<float>(b)); } \
  inline W operator*(W a, T b) { return a * static_cast<W>(static_cast<float>(b)); } \
  inline W operator/(W a, T b) { return a / static_cast<W>(static_cast<float>(b)); }

#define C10_INTERNAL_REDUCED_INT_MIXED(T, I)                            \
  inline T operator+(T a, I b) { return a + T(static_cast<float>(b)); } \
  inline T operator-(T a, I b) { return a - T(static_cast<float>(b)); } \
  inline T operator*(T a, I b) { return a * T(static_cast<float>(b)); } \
  inline T operator/(T a, I b) { return a / T(static_cast<float>(b)); } \
  inline T operator+(I a, T b) { return T(static_cast<float>(a)) + b; } \
  inline T operator-(I a, T b) { return T(static_cast<float>(a)) - b; } \
  inline T operator*(I a, T b) { return T(static_cast<float>(a)) * b; } \
  inline T operator/(I a, T b) { return T(static_cast<float>(a)) / b; }

C10_INTERNAL_REDUCED_FLOAT_OPERATORS(Half)

}  // namespace c10

namespace std {

template <>
class numeric_limits<c10::Half> : public c10::detail::ReducedFloatLimits {
 public:
  static constexpr bool is_iec559 = true;
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  static constexpr c10::Half min() { return {0x0400, c10::Half::from_bits()}; }
  static constexpr c10::Half lowest() { return {0xFBFF, c10::Half::from_bits()}; }
  static constexpr c10::Half max() { return {0x7BFF, c10::Half::from_bits()}; }
  static constexpr c10::Half epsilon() { return {0x1400, c10::Half::from_bits()}; }
  static constexpr c10::Half round_error() { return {0x3800, c10::Half::from_bits()}; }
  static constexpr c10::Half infinity() { return {0x7C00, c10::Half::from_bits()}; }
  static constexpr c10::Half quiet_NaN() { return {0x7E00, c10::Half::from_bits()}; }
  static constexpr c10::Half signaling_NaN() { return {0x7D00, c10::Half::from_bits()}; }
  static constexpr c10::Half denorm_min() { return {0x0001, c10::Half::from_bits()}; }
};

}  // namespace std

namespace torch {
namespace headeronly {
using c10::Half;
}  // namespace headeronly
}  // namespace torch

#endif  // ET_TORCH_HEADERONLY_UTIL_HALF_H_
