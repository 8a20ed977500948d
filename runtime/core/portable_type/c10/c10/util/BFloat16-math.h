/// @file
/// <cmath> functions for Half and BFloat16 that return the type they take. Generic kernels call
/// them qualified with std, whatever the element type.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<c10/util/BFloat16-math.h>)
#include_next <c10/util/BFloat16-math.h>
#else
#include <c10/util/BFloat16-math.h>
#endif
#elif !defined(ET_C10_UTIL_BFLOAT16_MATH_H_)
#define ET_C10_UTIL_BFLOAT16_MATH_H_

#include <cmath>
#include <type_traits>

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/BFloat16.h>
#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/Half.h>

namespace c10 {

/// Half and BFloat16.
template <typename T>
struct is_reduced_floating_point
    : std::integral_constant<bool,
                             std::is_same<T, Half>::value || std::is_same<T, BFloat16>::value> {};
template <typename T>
constexpr bool is_reduced_floating_point_v = is_reduced_floating_point<T>::value;

}  // namespace c10

namespace std {

#define C10_INTERNAL_UNARY(fn)                                                         \
  template <typename T, enable_if_t<c10::is_reduced_floating_point_v<T>, bool> = true> \
  inline T fn(T a) {                                                                   \
    return fn(static_cast<float>(a));                                                  \
  }
C10_INTERNAL_UNARY(abs)
C10_INTERNAL_UNARY(acos)
C10_INTERNAL_UNARY(acosh)
C10_INTERNAL_UNARY(asin)
C10_INTERNAL_UNARY(asinh)
C10_INTERNAL_UNARY(atan)
C10_INTERNAL_UNARY(atanh)
C10_INTERNAL_UNARY(ceil)
C10_INTERNAL_UNARY(cos)
C10_INTERNAL_UNARY(cosh)
C10_INTERNAL_UNARY(erf)
C10_INTERNAL_UNARY(erfc)
C10_INTERNAL_UNARY(exp)
C10_INTERNAL_UNARY(exp2)
C10_INTERNAL_UNARY(expm1)
C10_INTERNAL_UNARY(floor)
C10_INTERNAL_UNARY(lgamma)
C10_INTERNAL_UNARY(log)
C10_INTERNAL_UNARY(log10)
C10_INTERNAL_UNARY(log1p)
C10_INTERNAL_UNARY(log2)
C10_INTERNAL_UNARY(nearbyint)
C10_INTERNAL_UNARY(rint)
C10_INTERNAL_UNARY(round)
C10_INTERNAL_UNARY(sin)
C10_INTERNAL_UNARY(sinh)
C10_INTERNAL_UNARY(sqrt)
C10_INTERNAL_UNARY(tan)
C10_INTERNAL_UNARY(tanh)
C10_INTERNAL_UNARY(tgamma)
C10_INTERNAL_UNARY(trunc)
#undef C10_INTERNAL_UNARY

#define C10_INTERNAL_BINARY(fn)                                                        \
  template <typename T, enable_if_t<c10::is_reduced_floating_point_v<T>, bool> = true> \
  inline T fn(T a, T b) {                                                              \
    return fn(static_cast<float>(a), static_cast<float>(b));                           \
  }
C10_INTERNAL_BINARY(atan2)
C10_INTERNAL_BINARY(fmod)
C10_INTERNAL_BINARY(fmax)
C10_INTERNAL_BINARY(fmin)
C10_INTERNAL_BINARY(hypot)
C10_INTERNAL_BINARY(pow)
C10_INTERNAL_BINARY(remainder)
C10_INTERNAL_BINARY(copysign)
#undef C10_INTERNAL_BINARY

#define C10_INTERNAL_PREDICATE(fn)                                                     \
  template <typename T, enable_if_t<c10::is_reduced_floating_point_v<T>, bool> = true> \
  inline bool fn(T a) {                                                                \
    return fn(static_cast<float>(a));                                                  \
  }
C10_INTERNAL_PREDICATE(isfinite)
C10_INTERNAL_PREDICATE(isinf)
C10_INTERNAL_PREDICATE(isnan)
C10_INTERNAL_PREDICATE(signbit)
#undef C10_INTERNAL_PREDICATE

/// The neighbour of `from` in the direction of `to`, in the type's own grid.
template <typename T, enable_if_t<c10::is_reduced_floating_point_v<T>, bool> = true>
inline T nextafter(T from, T to) {
  if (isnan(from) || isnan(to)) {
    return numeric_limits<T>::quiet_NaN();
  }
  if (static_cast<float>(from) == static_cast<float>(to)) {
    return to;
  }
  if (static_cast<float>(from) == 0.0f) {
    const uint16_t sign = to.x & 0x8000u;
    return T(static_cast<uint16_t>(sign | 1u), T::from_bits());
  }
  const bool away_from_zero =
      (static_cast<float>(from) < static_cast<float>(to)) == (static_cast<float>(from) > 0.0f);
  return T(static_cast<uint16_t>(away_from_zero ? from.x + 1 : from.x - 1), T::from_bits());
}

}  // namespace std

#endif  // ET_C10_UTIL_BFLOAT16_MATH_H_
