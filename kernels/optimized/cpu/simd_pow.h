/**
 * @file
 * Powers, a part of simd_loops.h, where its use is described. Logarithms are doubles, since what is
 * rounded there is multiplied by the exponent.
 */
#pragma once

#include <cmath>

#include <executorch/kernels/optimized/cpu/simd_math.h>

namespace torch::executor::native::optimized {
namespace {

/// As many doubles as a Vector has floats.
typedef double DoubleVector __attribute__((vector_size(2 * ET_VECTOR_BYTES)));

/// 2 / ln 2 / (2 k + 1): log2((1 + s) / (1 - s)) / s, from the highest power of s^2 on.
constexpr double kLogSeries[] = {0.22195308321368, 0.26230818925253, 0.32059889797532,
                                 0.41219858311113, 0.57707801635558, 0.96179669392598,
                                 2.88539008177793};

/// p 2^n for integral n from -160 to 160.
ET_TARGET inline Vector scaled(Vector p, Vector n) {
#if ET_VECTOR_BYTES == 64
  return _mm512_scalef_ps(p, n);
#else
  // In two steps, each of which has an exponent.
  const IntVector exponent = __builtin_convertvector(n, IntVector);
  const IntVector half = exponent >> 1;
  return p * float_of((half + 127) << 23) * float_of((exponent - half + 127) << 23);
#endif
}

/// 2^(n + r) for integral n as above and |r| up to 1/2.
ET_TARGET inline Vector exp2_of_parts(Vector n, Vector r) {
  return scaled(polynomial(kExp2, r) * r + 1.0f, n);
}

ET_TARGET inline Vector exp2_of(Vector x) {
  const Vector low = broadcast(-160.0f);
  const Vector high = broadcast(160.0f);
  x = x < low ? low : x;
  x = x > high ? high : x;
  const Vector n = rounded<Rounding::kNearest>(x);
  return exp2_of_parts(x != x ? Vector{} : n, x - n);
}

/// x^y for positive finite x and finite y.
ET_TARGET inline Vector positive_power(Vector x, Vector y) {
  const Mantissa m = mantissa_of(x);
  const DoubleVector f = __builtin_convertvector(m.fraction, DoubleVector);
  const DoubleVector s = f / (f + 2.0);
  const DoubleVector z = s * s;
  DoubleVector p = DoubleVector{} + kLogSeries[0];
  ET_UNROLL
  for (size_t i = 1; i < sizeof(kLogSeries) / sizeof(double); ++i) {
    p = p * z + kLogSeries[i];
  }
  const DoubleVector log = s * p + __builtin_convertvector(m.exponent, DoubleVector);
  DoubleVector t = log * __builtin_convertvector(y, DoubleVector);
  const DoubleVector most = DoubleVector{} + 160.0;
  t = t > most ? most : t;
  t = t < -most ? -most : t;
  t = t == t ? t : DoubleVector{};               // of an exponent that is not a number
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: the sum has no fraction
  const DoubleVector n = (t + kRound) - kRound;
  return exp2_of_parts(__builtin_convertvector(n, Vector), __builtin_convertvector(t - n, Vector));
}

/// Replaces what the vectors are not for by the C library's.
ET_TARGET __attribute__((noinline)) Vector power_of_some(Vector x, Vector y, IntVector plain,
                                                         Vector result) {
  float base[kLanes];
  float exponent[kLanes];
  float all[kLanes];
  int32_t is_plain[kLanes];
  store(x, base);
  store(y, exponent);
  store(result, all);
  std::memcpy(is_plain, &plain, sizeof(plain));
  for (size_t l = 0; l < kLanes; ++l) {
    if (is_plain[l] == 0) {
      all[l] = std::pow(base[l], exponent[l]);
    }
  }
  return load(all);
}

ET_TARGET inline Vector power(Vector x, Vector y, Vector /*alpha*/) {
  const Vector infinity = broadcast(__builtin_inff());
  const Vector size = abs_of(x);
  // Negative numbers have powers with integral exponents only, whose sign is that of odd ones.
  const Vector half = y * 0.5f;
  const IntVector is_negative = x < Vector{};
  const IntVector is_integral = rounded<Rounding::kToZero>(y) == y;
  const IntVector is_odd = is_integral & (rounded<Rounding::kToZero>(half) != half);
  Vector result = positive_power(size, y);
  result = is_negative & is_odd ? -result : result;
  result = is_negative & ~is_integral ? broadcast(__builtin_nanf("")) : result;
  const IntVector plain = (size > Vector{}) & (size < infinity) & (abs_of(y) < infinity);
  const WordVector others = __builtin_convertvector(~plain, WordVector);
  uint64_t words[ET_VECTOR_BYTES / sizeof(uint64_t)];
  std::memcpy(words, &others, sizeof(words));
  uint64_t any = 0;
  for (const uint64_t word : words) {
    any |= word;
  }
  return any == 0 ? result : power_of_some(x, y, plain, result);
}

}  // namespace
}  // namespace torch::executor::native::optimized
