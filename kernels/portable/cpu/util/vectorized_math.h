/**
 * @file
 * The C math functions for every element type, as templates, so that a kernel can be written once:
 * half types are calculated in float and rounded once; integers are taken as float.
 */
#pragma once

#include <cmath>
#include <type_traits>

#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch::math {
namespace internal {

template <typename T>
inline constexpr bool is_half =
    std::is_same_v<T, executorch::aten::Half> || std::is_same_v<T, executorch::aten::BFloat16>;

/// What a function is calculated in for an argument of type T.
template <typename T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, T, float>;

/// What a function of T gives.
template <typename T>
using Result = std::conditional_t<is_half<T>, T, Wide<T>>;

}  // namespace internal

#define ET_INTERNAL_UNARY_MATH(name)                                                       \
  template <typename T>                                                                    \
  inline internal::Result<T> name(T x) {                                                   \
    return static_cast<internal::Result<T>>(std::name(static_cast<internal::Wide<T>>(x))); \
  }
#define ET_INTERNAL_BINARY_MATH(name)                                                     \
  template <typename T>                                                                   \
  inline internal::Result<T> name(T x, T y) {                                             \
    return static_cast<internal::Result<T>>(                                              \
        std::name(static_cast<internal::Wide<T>>(x), static_cast<internal::Wide<T>>(y))); \
  }

ET_INTERNAL_UNARY_MATH(acos)
ET_INTERNAL_UNARY_MATH(acosh)
ET_INTERNAL_UNARY_MATH(asin)
ET_INTERNAL_UNARY_MATH(asinh)
ET_INTERNAL_UNARY_MATH(atan)
ET_INTERNAL_UNARY_MATH(atanh)
ET_INTERNAL_UNARY_MATH(ceil)
ET_INTERNAL_UNARY_MATH(cos)
ET_INTERNAL_UNARY_MATH(cosh)
ET_INTERNAL_UNARY_MATH(erf)
ET_INTERNAL_UNARY_MATH(erfc)
ET_INTERNAL_UNARY_MATH(exp)
ET_INTERNAL_UNARY_MATH(exp2)
ET_INTERNAL_UNARY_MATH(expm1)
ET_INTERNAL_UNARY_MATH(floor)
ET_INTERNAL_UNARY_MATH(lgamma)
ET_INTERNAL_UNARY_MATH(log)
ET_INTERNAL_UNARY_MATH(log10)
ET_INTERNAL_UNARY_MATH(log1p)
ET_INTERNAL_UNARY_MATH(log2)
ET_INTERNAL_UNARY_MATH(sin)
ET_INTERNAL_UNARY_MATH(sinh)
ET_INTERNAL_UNARY_MATH(sqrt)
ET_INTERNAL_UNARY_MATH(tan)
ET_INTERNAL_UNARY_MATH(tanh)
ET_INTERNAL_UNARY_MATH(trunc)

ET_INTERNAL_BINARY_MATH(atan2)
ET_INTERNAL_BINARY_MATH(copysign)
ET_INTERNAL_BINARY_MATH(fmod)
ET_INTERNAL_BINARY_MATH(hypot)
ET_INTERNAL_BINARY_MATH(nextafter)
ET_INTERNAL_BINARY_MATH(pow)

#undef ET_INTERNAL_UNARY_MATH
#undef ET_INTERNAL_BINARY_MATH

/// Magnitude; of the argument's type, integers included.
template <typename T>
inline T abs(T x) {
  return x < T(0) ? static_cast<T>(-x) : x == T(0) ? T(0) : x;
}

/// To the nearest integer, halves to the even one, as eager does.
template <typename T>
inline internal::Result<T> round(T x) {
  return static_cast<internal::Result<T>>(std::nearbyint(static_cast<internal::Wide<T>>(x)));
}

/// 1 / sqrt(x).
template <typename T>
inline internal::Result<T> rsqrt(T x) {
  using Wide = internal::Wide<T>;
  return static_cast<internal::Result<T>>(Wide(1) / std::sqrt(static_cast<Wide>(x)));
}

/// 1 / x.
template <typename T>
inline internal::Result<T> reciprocal(T x) {
  using Wide = internal::Wide<T>;
  return static_cast<internal::Result<T>>(Wide(1) / static_cast<Wide>(x));
}

}  // namespace executorch::math
