/// @file
/// IEEE 754 arithmetic in integers, for processors whose compiler's library lacks it: rounds to the
/// nearest even, knows subnormal numbers, infinities and (quiet) NaNs, and has no state.
#pragma once

#include <cstdint>

namespace soft_float {

/// A format's storage, bits of fraction and bits of exponent.
template <typename Storage, int Fraction, int Exponent>
struct Format {
  using Bits = Storage;
  static constexpr int kFraction = Fraction;
  static constexpr int kMaxExponent = (1 << Exponent) - 1;
  static constexpr int kBias = kMaxExponent / 2;
  static constexpr Bits kSign = Bits{1} << (Fraction + Exponent);
  static constexpr Bits kInfinity = Bits{kMaxExponent} << Fraction;
  static constexpr Bits kNan = kInfinity | (Bits{1} << (Fraction - 1));
};
using Single = Format<uint32_t, 23, 8>;
using Double = Format<uint64_t, 52, 11>;

/// A number that is neither infinite nor a NaN: significand * 2^(exponent - 62), with the
/// significand's leading one at bit 62; or zero. The lowest bit may stand for all that was shifted
/// out.
struct Number {
  bool negative;
  int exponent;
  uint64_t significand;
};

constexpr int kLeading = 62;

/// Shifts right; the lowest bit remembers whether anything was lost.
inline uint64_t shift_right(uint64_t value, int by) {
  if (by <= 0) {
    return value;
  }
  if (by > 63) {
    return value != 0 ? 1 : 0;
  }
  return (value >> by) | ((value << (64 - by)) != 0 ? 1 : 0);
}

/// Moves the leading one to bit 62.
inline void normalize(Number& number) {
  if (number.significand == 0) {
    return;
  }
  const int by = 1 - __builtin_clzll(number.significand);
  number.significand = by > 0 ? shift_right(number.significand, by) : number.significand << -by;
  number.exponent += by;
}

/// 32 x 32 bits to 64, in multiplications of 32 bits.
inline uint64_t multiply_32(uint32_t a, uint32_t b) {
  const uint32_t low = (a & 0xffff) * (b & 0xffff);
  const uint32_t middle = (a >> 16) * (b & 0xffff) + (low >> 16);
  const uint32_t other = (a & 0xffff) * (b >> 16) + (middle & 0xffff);
  const uint32_t high = (a >> 16) * (b >> 16) + (middle >> 16) + (other >> 16);
  return (uint64_t{high} << 32) | (other << 16) | (low & 0xffff);
}

/// The upper 66 bits of a product of two significands, the lowest of which is sticky.
inline uint64_t multiply_significands(uint64_t a, uint64_t b) {
  const auto a0 = static_cast<uint32_t>(a);
  const auto a1 = static_cast<uint32_t>(a >> 32);
  const auto b0 = static_cast<uint32_t>(b);
  const auto b1 = static_cast<uint32_t>(b >> 32);
  const uint64_t low = multiply_32(a0, b0);
  const uint64_t one = multiply_32(a1, b0) + (low >> 32);
  const uint64_t two = multiply_32(a0, b1) + static_cast<uint32_t>(one);
  const uint64_t high = multiply_32(a1, b1) + (one >> 32) + (two >> 32);
  const uint64_t rest = (two << 32) | static_cast<uint32_t>(low);
  return (high << 2) | (rest >> 62) | ((rest << 2) != 0 ? 1 : 0);
}

template <typename F>
bool is_nan(typename F::Bits bits) {
  return (bits & ~F::kSign) > F::kInfinity;
}

template <typename F>
bool is_infinite(typename F::Bits bits) {
  return (bits & ~F::kSign) == F::kInfinity;
}

template <typename F>
Number unpack(typename F::Bits bits) {
  const auto fraction = bits & ((typename F::Bits{1} << F::kFraction) - 1);
  const int exponent = static_cast<int>((bits & ~F::kSign) >> F::kFraction);
  Number number{(bits & F::kSign) != 0, 0, fraction};
  // A subnormal number has no leading one, and the exponent of the least that has.
  number.significand |= exponent != 0 ? uint64_t{1} << F::kFraction : 0;
  number.exponent = (exponent != 0 ? exponent : 1) - F::kBias - F::kFraction + kLeading;
  normalize(number);
  return number;
}

template <typename F>
typename F::Bits pack(Number number) {
  using Bits = typename F::Bits;
  const Bits sign = number.negative ? F::kSign : 0;
  if (number.significand == 0) {
    return sign;
  }
  const int exponent = number.exponent + F::kBias;
  if (exponent >= F::kMaxExponent) {
    return sign | F::kInfinity;
  }
  const int drop = kLeading - F::kFraction + (exponent <= 0 ? 1 - exponent : 0);
  if (drop > 63) {
    return sign;
  }
  const uint64_t rest = number.significand & ((uint64_t{1} << drop) - 1);
  const uint64_t half = uint64_t{1} << (drop - 1);
  auto kept = static_cast<Bits>(number.significand >> drop);
  kept += rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
  // The leading one adds one to the exponent; rounding may carry into it, up to infinity.
  return sign | (kept + (exponent > 0 ? static_cast<Bits>(exponent - 1) << F::kFraction : 0));
}

template <typename F>
typename F::Bits add(typename F::Bits a, typename F::Bits b) {
  if (is_nan<F>(a) || is_nan<F>(b)) {
    return F::kNan;
  }
  if (is_infinite<F>(a)) {
    return is_infinite<F>(b) && a != b ? F::kNan : a;
  }
  if (is_infinite<F>(b)) {
    return b;
  }
  if ((a & ~F::kSign) < (b & ~F::kSign)) {
    const auto smaller = a;
    a = b;
    b = smaller;
  }
  Number larger = unpack<F>(a);
  const Number smaller = unpack<F>(b);
  if (smaller.significand == 0) {
    return larger.significand == 0 ? a & b : a;
  }
  const uint64_t other = shift_right(smaller.significand, larger.exponent - smaller.exponent);
  larger.significand =
      larger.negative == smaller.negative ? larger.significand + other : larger.significand - other;
  // What cancels is a positive zero.
  larger.negative = larger.negative && larger.significand != 0;
  normalize(larger);
  return pack<F>(larger);
}

template <typename F>
typename F::Bits multiply(typename F::Bits a, typename F::Bits b) {
  const auto sign = (a ^ b) & F::kSign;
  const auto a_size = a & ~F::kSign;
  const auto b_size = b & ~F::kSign;
  if (is_nan<F>(a) || is_nan<F>(b)) {
    return F::kNan;
  }
  if (is_infinite<F>(a) || is_infinite<F>(b)) {
    return a_size == 0 || b_size == 0 ? F::kNan : sign | F::kInfinity;
  }
  if (a_size == 0 || b_size == 0) {
    return sign;
  }
  const Number x = unpack<F>(a);
  const Number y = unpack<F>(b);
  Number product{sign != 0, x.exponent + y.exponent,
                 multiply_significands(x.significand, y.significand)};
  normalize(product);
  return pack<F>(product);
}

template <typename F>
typename F::Bits divide(typename F::Bits a, typename F::Bits b) {
  const auto sign = (a ^ b) & F::kSign;
  const auto a_size = a & ~F::kSign;
  const auto b_size = b & ~F::kSign;
  if (is_nan<F>(a) || is_nan<F>(b) || (is_infinite<F>(a) && is_infinite<F>(b)) ||
      (a_size == 0 && b_size == 0)) {
    return F::kNan;
  }
  if (is_infinite<F>(a) || b_size == 0) {
    return sign | F::kInfinity;
  }
  if (is_infinite<F>(b) || a_size == 0) {
    return sign;
  }
  const Number x = unpack<F>(a);
  const Number y = unpack<F>(b);
  uint64_t rest = x.significand;
  uint64_t quotient = 0;
  for (int bit = 0; bit < 63; ++bit) {
    quotient <<= 1;
    if (rest >= y.significand) {
      rest -= y.significand;
      quotient |= 1;
    }
    rest <<= 1;
  }
  Number result{sign != 0, x.exponent - y.exponent, quotient};
  // Before the sticky bit, which must not move up.
  normalize(result);
  result.significand |= rest != 0 ? 1 : 0;
  return pack<F>(result);
}

/// A whole number's sign and size as a floating-point number.
template <typename F>
typename F::Bits from_integer(bool negative, uint64_t size) {
  Number number{negative, kLeading, size};
  normalize(number);
  return pack<F>(number);
}

/// The whole part of a number, up to `largest`; what does not fit, and a NaN, gives `largest`.
template <typename F>
uint64_t to_integer(typename F::Bits bits, uint64_t largest) {
  if (is_nan<F>(bits) || is_infinite<F>(bits)) {
    return largest;
  }
  const Number number = unpack<F>(bits);
  if (number.significand == 0 || number.exponent < 0) {
    return 0;
  }
  if (number.exponent > 63) {
    return largest;
  }
  const uint64_t size = number.exponent > kLeading
                            ? number.significand << 1
                            : number.significand >> (kLeading - number.exponent);
  return size < largest ? size : largest;
}

/// The same number in another format.
template <typename To, typename From>
typename To::Bits convert(typename From::Bits bits) {
  if (is_nan<From>(bits)) {
    return To::kNan;
  }
  if (is_infinite<From>(bits)) {
    return ((bits & From::kSign) != 0 ? To::kSign : 0) | To::kInfinity;
  }
  return pack<To>(unpack<From>(bits));
}

/// Quotient and remainder without a division.
template <typename T>
struct Quotient {
  T quotient;
  T remainder;
};

/// Divides unsigned numbers bit by bit; by zero gives all ones, as processors do.
template <typename T>
Quotient<T> divide_unsigned(T a, T b) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  Quotient<T> result{0, 0};
  for (int bit = kBits - 1; bit >= 0; --bit) {
    const bool carry = (result.remainder >> (kBits - 1)) != 0;
    result.remainder = (result.remainder << 1) | ((a >> bit) & 1);
    result.quotient <<= 1;
    if (carry || result.remainder >= b) {
      result.remainder -= b;
      result.quotient |= 1;
    }
  }
  return result;
}

}  // namespace soft_float
