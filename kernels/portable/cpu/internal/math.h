/**
 * @file
 * Scalar arithmetic with every case defined, as eager defines it: integers wrap, division and
 * remainder come in Python's and in C's rounding, NaN propagates through minimum and maximum.
 */
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace torch::executor::native::util {

template <typename C>
inline C wrapping_add(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}

template <typename C>
inline C wrapping_sub(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  } else {
    return a - b;
  }
}

template <typename C>
inline C wrapping_mul(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

template <typename C>
inline C wrapping_neg(C a) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(uint64_t{0} - static_cast<uint64_t>(a));
  } else {
    return -a;
  }
}

template <typename C>
inline bool is_nan(C a) {
  if constexpr (std::is_floating_point_v<C>) {
    return a != a;
  } else {
    return false;
  }
}

/// The larger one; NaN if either is.
template <typename C>
inline C nan_max(C a, C b) {
  return a > b || is_nan(a) ? a : b;
}

/// The smaller one; NaN if either is.
template <typename C>
inline C nan_min(C a, C b) {
  return a < b || is_nan(a) ? a : b;
}

/// Quotient rounded toward zero. Integers: `b` must not be 0.
template <typename C>
inline C div_trunc(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    return b == -1 ? wrapping_neg(a) : a / b;
  } else {
    return std::trunc(a / b);
  }
}

/// A sum divided by an integer that is not 0 and may be -1.
template <typename C>
inline C quotient(C sum, int64_t divisor) {
  if constexpr (std::is_integral_v<C>) {
    return div_trunc<C>(sum, divisor);
  } else {
    return sum / static_cast<C>(divisor);
  }
}

/// Remainder with the sign of the dividend. Integers: `b` must not be 0.
template <typename C>
inline C mod_trunc(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    return b == -1 ? 0 : a % b;
  } else {
    return std::fmod(a, b);
  }
}

/// Remainder with the sign of the divisor. Integers: `b` must not be 0.
template <typename C>
inline C mod_floor(C a, C b) {
  const C rest = mod_trunc(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// Quotient rounded toward minus infinity. Integers: `b` must not be 0.
template <typename C>
inline C div_floor(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    const C quotient = div_trunc(a, b);
    return mod_trunc(a, b) != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  } else {
    if (b == 0) {
      return a / b;
    }
    // From the exact remainder, because a / b may round up to the next integer.
    const C rest = std::fmod(a, b);
    C quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) {
      quotient -= 1;
    }
    if (quotient == 0) {
      return std::copysign(C(0), a / b);
    }
    const C whole = std::floor(quotient);
    return quotient - whole > C(0.5) ? whole + 1 : whole;
  }
}

/// Integer power by squaring, wrapping; a negative exponent gives the truncated reciprocal.
inline int64_t int_pow(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    return base == 1 ? 1 : base == -1 ? ((exponent & 1) != 0 ? -1 : 1) : 0;
  }
  uint64_t result = 1;
  uint64_t factor = static_cast<uint64_t>(base);
  for (uint64_t e = static_cast<uint64_t>(exponent); e != 0; e >>= 1) {
    result *= (e & 1) != 0 ? factor : 1;
    factor *= factor;
  }
  return static_cast<int64_t>(result);
}

/// Of the magnitudes; 0 for two zeros. The most negative integer wraps, as in eager.
inline int64_t greatest_divisor(int64_t a, int64_t b) {
  uint64_t x = a < 0 ? uint64_t{0} - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
  uint64_t y = b < 0 ? uint64_t{0} - static_cast<uint64_t>(b) : static_cast<uint64_t>(b);
  while (x != 0) {
    const uint64_t rest = y % x;
    y = x;
    x = rest;
  }
  return static_cast<int64_t>(y);
}

}  // namespace torch::executor::native::util
