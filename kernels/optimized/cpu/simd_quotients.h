/**
 * @file
 * Quotients and remainders in whole numbers, a part of simd_loops.h, where its use is described.
 * Remainders are exact: doubles have all bits of the products that are taken away.
 */
#pragma once

#include <cmath>

#include <executorch/kernels/optimized/cpu/simd_pow.h>
#include <executorch/kernels/portable/cpu/internal/math.h>

namespace torch::executor::native::optimized {
namespace {

ET_TARGET inline bool is_all(IntVector v) {
  int64_t part[ET_VECTOR_BYTES / sizeof(int64_t)];
  std::memcpy(part, &v, sizeof(part));
  int64_t all = -1;
  for (const int64_t bits : part) {
    all &= bits;
  }
  return all == -1;
}

/// The remainder of a / b with the sign of a, and the lanes that it is not for.
struct Remainder {
  Vector rest;
  IntVector plain;
};

ET_TARGET inline Remainder remainder_of(Vector a, Vector b) {
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: the sum has no fraction
  const Vector most = broadcast(67108864.0f);    // 2^26, so that no quotient is rounded to the next
  const DoubleVector x = __builtin_convertvector(a, DoubleVector);
  const DoubleVector y = __builtin_convertvector(b, DoubleVector);
  const DoubleVector quotient = x / y;
  const DoubleVector nearest = (quotient + kRound) - kRound;
  const DoubleVector size = quotient < 0.0 ? -quotient : quotient;
  const DoubleVector whole = nearest < 0.0 ? -nearest : nearest;
  const DoubleVector one = DoubleVector{} + 1.0;
  const DoubleVector down = whole > size ? whole - one : whole;
  const DoubleVector toward_zero = quotient < 0.0 ? -down : down;
  const Vector rest = __builtin_convertvector(x - toward_zero * y, Vector);
  // Of NaN neither is true.
  const IntVector is_small = abs_of(__builtin_convertvector(quotient, Vector)) < most;
  const IntVector is_finite = abs_of(b) < broadcast(__builtin_inff());
  return {with_sign(rest, a), is_small & is_finite};
}

/// Calls `function` for the lanes that are not plain.
ET_TARGET __attribute__((noinline)) Vector by_lane(float (*function)(float, float), Vector a,
                                                   Vector b, IntVector plain, Vector result) {
  float x[kLanes];
  float y[kLanes];
  float all[kLanes];
  int32_t is_plain[kLanes];
  store(a, x);
  store(b, y);
  store(result, all);
  std::memcpy(is_plain, &plain, sizeof(plain));
  for (size_t l = 0; l < kLanes; ++l) {
    if (is_plain[l] == 0) {
      all[l] = function(x[l], y[l]);
    }
  }
  return load(all);
}

inline float fmod_of(float a, float b) { return std::fmod(a, b); }

/// The sign is that of `a`, as of std::fmod.
ET_TARGET inline Vector modulo(Vector a, Vector b, Vector /*alpha*/) {
  const Remainder r = remainder_of(a, b);
  return is_all(r.plain) ? r.rest : by_lane(fmod_of, a, b, r.plain, r.rest);
}

/// The lanes of a remainder that become another one for a quotient that is rounded down.
ET_TARGET inline IntVector rounds_down(Vector rest, Vector b) {
  return (rest != Vector{}) & ((rest < Vector{}) ^ (b < Vector{}));
}

/// The sign is that of `b`, as in Python.
ET_TARGET inline Vector floor_modulo(Vector a, Vector b, Vector /*alpha*/) {
  const Remainder r = remainder_of(a, b);
  const Vector result = rounds_down(r.rest, b) ? r.rest + b : r.rest;
  return is_all(r.plain) ? result : by_lane(util::mod_floor<float>, a, b, r.plain, result);
}

/// As util::div_floor, from the exact remainder.
ET_TARGET inline Vector floor_quotient(Vector a, Vector b, Vector /*alpha*/) {
  const Remainder r = remainder_of(a, b);
  Vector quotient = (a - r.rest) / b;
  quotient = rounds_down(r.rest, b) ? quotient - 1.0f : quotient;
  const Vector whole = rounded<Rounding::kDown>(quotient);
  const Vector up = quotient - whole > broadcast(0.5f) ? whole + 1.0f : whole;
  const Vector result = quotient == Vector{} ? with_sign(Vector{}, a / b) : up;
  return is_all(r.plain) ? result : by_lane(util::div_floor<float>, a, b, r.plain, result);
}

ET_TARGET inline Vector truncated_quotient(Vector a, Vector b, Vector /*alpha*/) {
  return rounded<Rounding::kToZero>(a / b);
}

}  // namespace
}  // namespace torch::executor::native::optimized
