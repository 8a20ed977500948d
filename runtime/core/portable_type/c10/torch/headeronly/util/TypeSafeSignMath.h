/// @file
/// Sign tests and range comparisons that are right for every pair of arithmetic types.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<torch/headeronly/util/TypeSafeSignMath.h>)
#include_next <torch/headeronly/util/TypeSafeSignMath.h>
#else
#include <torch/headeronly/util/TypeSafeSignMath.h>
#endif
#elif !defined(ET_TORCH_HEADERONLY_UTIL_TYPESAFESIGNMATH_H_)
#define ET_TORCH_HEADERONLY_UTIL_TYPESAFESIGNMATH_H_

#include <limits>
#include <type_traits>

namespace c10 {

/// x < 0; always false for unsigned types.
template <typename T>
inline constexpr bool is_negative(const T& x) {
  if constexpr (std::is_unsigned<T>::value) {
    return false;
  } else {
    return x < T(0);
  }
}

/// -1, 0 or 1.
template <typename T>
inline constexpr int signum(const T& x) {
  return static_cast<int>(T(0) < x) - static_cast<int>(is_negative(x));
}

/// One is negative and the other is not.
template <typename T, typename U>
inline constexpr bool signs_differ(const T& a, const U& b) {
  return is_negative(a) != is_negative(b);
}

namespace internal {

template <typename T>
inline constexpr bool is_integer_v = std::is_integral<T>::value;

/// a < b for integers of any signedness, without conversion surprises.
template <typename A, typename B>
inline constexpr bool integer_less(A a, B b) {
  if constexpr (std::is_signed<A>::value == std::is_signed<B>::value) {
    return a < b;
  } else if constexpr (std::is_signed<A>::value) {
    return a < 0 || static_cast<std::make_unsigned_t<A>>(a) < b;
  } else {
    return b >= 0 && a < static_cast<std::make_unsigned_t<B>>(b);
  }
}

}  // namespace internal

/// x is above the largest value of Limit.
template <typename Limit, typename T>
inline constexpr bool greater_than_max(const T& x) {
  constexpr Limit max = std::numeric_limits<Limit>::max();
  if constexpr (std::is_same<Limit, bool>::value || std::is_same<T, bool>::value) {
    return static_cast<long double>(x) > static_cast<long double>(max);
  } else if constexpr (internal::is_integer_v<Limit> && internal::is_integer_v<T>) {
    return internal::integer_less(max, x);
  } else if constexpr (internal::is_integer_v<Limit>) {
    // max rounds up to 2^digits in a float type; the first value that does not fit is 2^digits.
    return x >= static_cast<T>(max / 2 + 1) * T(2);
  } else {
    return x > max;
  }
}

/// x is below the smallest value of Limit.
template <typename Limit, typename T>
inline constexpr bool less_than_lowest(const T& x) {
  constexpr Limit lowest = std::numeric_limits<Limit>::lowest();
  if constexpr (std::is_same<Limit, bool>::value || std::is_same<T, bool>::value) {
    return x < T(0);
  } else if constexpr (internal::is_integer_v<Limit> && internal::is_integer_v<T>) {
    return internal::integer_less(x, lowest);
  } else {
    return x < lowest;
  }
}

}  // namespace c10

#endif  // ET_TORCH_HEADERONLY_UTIL_TYPESAFESIGNMATH_H_
