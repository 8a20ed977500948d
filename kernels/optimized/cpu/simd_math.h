/**
 * @file
 * Functions of vectors: rounding, logarithms, trigonometry, activations. A part of simd_loops.h,
 * where its use is described.
 *
 * Errors are a few units in the last place. NaN, infinities, subnormal numbers and signed zeros are
 * as in the C library. The polynomials are weighted minimax fits.
 */
#pragma once

#include <cmath>

#if ET_VECTOR_BYTES == 32
#include <immintrin.h>
#endif

#include <executorch/kernels/optimized/cpu/simd_products.h>

namespace torch::executor::native::optimized {
namespace {

ET_TARGET inline IntVector bits_of(Vector v) {
  IntVector bits;
  std::memcpy(&bits, &v, sizeof(bits));
  return bits;
}

ET_TARGET inline Vector float_of(IntVector bits) {
  Vector v;
  std::memcpy(&v, &bits, sizeof(v));
  return v;
}

/// The bits as unsigned numbers, which may wrap around.
typedef uint32_t WordVector __attribute__((vector_size(ET_VECTOR_BYTES)));

ET_TARGET inline WordVector words_of(Vector v) {
  WordVector words;
  std::memcpy(&words, &v, sizeof(words));
  return words;
}

ET_TARGET inline Vector float_of_words(WordVector words) {
  Vector v;
  std::memcpy(&v, &words, sizeof(v));
  return v;
}

ET_TARGET inline Vector abs_of(Vector x) { return float_of(bits_of(x) & INT32_MAX); }

/// `size` with the sign of `sign`.
ET_TARGET inline Vector with_sign(Vector size, Vector sign) {
  return float_of((bits_of(size) & INT32_MAX) | (bits_of(sign) & INT32_MIN));
}

enum class Rounding { kNearest, kDown, kUp, kToZero };

#if ET_VECTOR_BYTES >= 32
constexpr int kNoException = 8;  // _MM_FROUND_NO_EXC
constexpr int mode_of(Rounding rounding) {
  return kNoException | (rounding == Rounding::kNearest ? 0
                         : rounding == Rounding::kDown  ? 1
                         : rounding == Rounding::kUp    ? 2
                                                        : 3);
}
#endif

template <Rounding kRounding>
ET_TARGET inline Vector rounded(Vector x) {
#if ET_VECTOR_BYTES == 64
  return _mm512_roundscale_ps(x, mode_of(kRounding));
#elif ET_VECTOR_BYTES == 32
  return _mm256_round_ps(x, mode_of(kRounding));
#else
  for (size_t l = 0; l < kLanes; ++l) {
    x[l] = kRounding == Rounding::kNearest ? std::nearbyint(x[l])
           : kRounding == Rounding::kDown  ? std::floor(x[l])
           : kRounding == Rounding::kUp    ? std::ceil(x[l])
                                           : std::trunc(x[l]);
  }
  return x;
#endif
}

ET_TARGET inline Vector sqrt_of(Vector x) {
#if ET_VECTOR_BYTES == 64
  return _mm512_sqrt_ps(x);
#elif ET_VECTOR_BYTES == 32
  return _mm256_sqrt_ps(x);
#else
  for (size_t l = 0; l < kLanes; ++l) {
    x[l] = std::sqrt(x[l]);
  }
  return x;
#endif
}

ET_TARGET inline Vector reciprocal_of(Vector x) { return 1.0f / x; }
ET_TARGET inline Vector rsqrt_of(Vector x) { return 1.0f / sqrt_of(x); }
ET_TARGET inline Vector negative_of(Vector x) { return -x; }
ET_TARGET inline Vector square_of(Vector x) { return x * x; }
ET_TARGET inline Vector cube_of(Vector x) { return x * x * x; }
/// NaN passes.
ET_TARGET inline Vector relu_of(Vector x) { return x < Vector{} ? Vector{} : x; }

/// (log(1 + f) - f + f^2 / 2) / f^3.
constexpr float kLogarithm[] = {0.0691536814f, -0.117898077f, 0.118729763f,
                                -0.123843484f, 0.142186582f,  -0.16669251f,
                                0.200022265f,  -0.249999866f, 0.333333105f};

/// A positive number is (1 + fraction) 2^exponent, with 1 + fraction from sqrt(1/2) to sqrt(2).
struct Mantissa {
  Vector fraction;
  Vector exponent;
};

ET_TARGET inline Mantissa mantissa_of(Vector x) {
  constexpr float kLeastNormal = 1.17549435e-38f;
  constexpr uint32_t kOne = 0x3f800000;
  constexpr uint32_t kSqrtHalf = 0x3f3504f3;
  const IntVector tiny = x < broadcast(kLeastNormal);
  const WordVector bits = words_of(tiny ? x * 8388608.0f : x) + (kOne - kSqrtHalf);
  const IntVector exponent = __builtin_convertvector(bits >> 23, IntVector) - 127 + (tiny & -23);
  const Vector mantissa = float_of_words((bits & 0x007fffffu) + kSqrtHalf);
  return {mantissa - 1.0f, __builtin_convertvector(exponent, Vector)};
}

/// What `result` is not right for: zero, negative numbers, infinity, NaN.
ET_TARGET inline Vector logarithm_limits(Vector x, Vector result) {
  const Vector infinity = broadcast(__builtin_inff());
  const Vector nan = broadcast(__builtin_nanf(""));
  // Of infinity and of NaN itself.
  result = x < infinity ? result : x;
  result = x == Vector{} ? -infinity : result;
  return x < Vector{} ? nan : result;
}

/// log(1 + f) of a Mantissa's fraction.
ET_TARGET inline Vector fraction_log(Vector f) {
  const Vector square = f * f;
  return f + (f * square * polynomial(kLogarithm, f) - 0.5f * square);
}

/// The logarithm of positive numbers.
ET_TARGET inline Vector positive_log(Vector x) {
  using namespace util::vmath;
  const Mantissa m = mantissa_of(x);
  const Vector f = m.fraction;
  const Vector square = f * f;
  const Vector rest = f * square * polynomial(kLogarithm, f) + m.exponent * kLn2Low;
  return ((rest - 0.5f * square) + f) + m.exponent * kLn2High;
}

ET_TARGET inline Vector log_of(Vector x) { return logarithm_limits(x, positive_log(x)); }

ET_TARGET inline Vector log2_of(Vector x) {
  // 1 / ln 2 - 1, so that the greater part is not rounded.
  constexpr float kPerLn2Less1 = 0.44269504f;
  const Mantissa m = mantissa_of(x);
  const Vector log = fraction_log(m.fraction);
  return logarithm_limits(x, (log * kPerLn2Less1 + log) + m.exponent);
}

ET_TARGET inline Vector log10_of(Vector x) {
  constexpr float kPerLn10 = 0.434294482f;
  constexpr float kLog10Of2High = 0.301025391f;  // few bits: products with exponents are exact
  constexpr float kLog10Of2Low = 4.60503907e-06f;
  const Mantissa m = mantissa_of(x);
  const Vector log = fraction_log(m.fraction) * kPerLn10 + m.exponent * kLog10Of2Low;
  return logarithm_limits(x, log + m.exponent * kLog10Of2High);
}

ET_TARGET inline Vector log1p_of(Vector x) {
  const Vector sum = x + 1.0f;
  // What the sum lost. Infinity has none.
  const Vector lost = x < broadcast(1e30f) ? (x - (sum - 1.0f)) / sum : Vector{};
  const Vector result = logarithm_limits(sum, positive_log(sum) + lost);
  return abs_of(x) < broadcast(1e-8f) ? x : result;
}

/// (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 of r^2, for |r| up to pi / 4.
constexpr float kSine[] = {2.71756812e-06f, -0.000198392576f, 0.00833332911f, -0.166666672f};
constexpr float kCosine[] = {2.47994376e-05f, -0.00138888834f, 0.0416666679f};
/// pi / 2 in parts, the first two of which have few bits.
constexpr float kHalfPi[] = {1.5703125f, 4.837512969970703e-4f, 7.549789948768648e-8f};
/// The bits of 8192; up to there the products with these are exact.
constexpr int32_t kTurnLimitBits = 0x46000000;

/// The sine of x + quarter * pi / 2.
ET_TARGET inline Vector sine_of(Vector x, int32_t quarter) {
  using util::vmath::kExpShift;
  constexpr float kPerHalfPi = 0.636619772f;
  const Vector shifted = x * kPerHalfPi + kExpShift;
  const Vector turns = shifted - kExpShift;
  const Vector r = ((x - turns * kHalfPi[0]) - turns * kHalfPi[1]) - turns * kHalfPi[2];
  const WordVector place = words_of(shifted) + static_cast<uint32_t>(quarter);
  const IntVector quadrant = __builtin_convertvector(place & 3u, IntVector);
  const Vector z = r * r;
  const Vector sine = r + r * z * polynomial(kSine, z);
  const Vector cosine = 1.0f + (z * z * polynomial(kCosine, z) - 0.5f * z);
  const Vector result = (quadrant & 1) != 0 ? cosine : sine;
  const WordVector odd = __builtin_convertvector(quadrant & 2, WordVector);
  return float_of_words(words_of(result) ^ (odd << 30));
}

/// exp(x) for x that the vectors' exponents have room for.
ET_TARGET inline Vector exp_inside(Vector x) {
  using namespace util::vmath;
  // As util::fast_exp.
  const Vector shift = broadcast(kExpShift);
  const Vector shifted = x * kPerLn2 + shift;
  const Vector n = shifted - shift;
  const Vector r = (x - n * kLn2High) - n * kLn2Low;
  const Vector p = polynomial(kExp, r) * r * r + r + 1.0f;
#if ET_VECTOR_BYTES == 64
  return _mm512_scalef_ps(p, n);
#else
  IntVector bits;
  IntVector zero;
  std::memcpy(&bits, &shifted, sizeof(bits));
  std::memcpy(&zero, &shift, sizeof(zero));
  const IntVector exponent = bits - zero;
  const IntVector half = exponent >> 1;
  const IntVector first = (half + 127) << 23;
  const IntVector second = (exponent - half + 127) << 23;
  Vector factor;
  Vector rest;
  std::memcpy(&factor, &first, sizeof(factor));
  std::memcpy(&rest, &second, sizeof(rest));
  return p * factor * rest;
#endif
}

ET_TARGET inline Vector exp_of(Vector x) {
  const Vector low = broadcast(util::vmath::kExpLeast);
  const Vector high = broadcast(util::vmath::kExpMost);
  x = x < low ? low : x;
  x = x > high ? high : x;
  return exp_inside(x);
}

/// 1 / x for finite x that are not tiny.
ET_TARGET inline Vector reciprocal(Vector x) {
#if ET_VECTOR_BYTES == 64
  // 14 bits from the processor, twice as many by Newton's method: half the time of a division.
  const Vector r = _mm512_rcp14_ps(x);
  return r * (2.0f - x * r);
#else
  return 1.0f / x;
#endif
}

ET_TARGET inline Vector sigmoid_of(Vector x) { return 1.0f / (exp_of(-x) + 1.0f); }

/// As util::fast_tanh.
ET_TARGET inline Vector tanh_of(Vector x) {
  const Vector zero = Vector{};
  const Vector size = x < zero ? -x : x;
  const Vector ten = broadcast(10.0f);  // Where the result is 1; NaN passes.
  const Vector large = 1.0f - 2.0f * reciprocal(exp_of(2.0f * (size > ten ? ten : size)) + 1.0f);
  const Vector z = x * x;
  const Vector p = polynomial(util::vmath::kTanh, z);
  const Vector small = x * (1.0f + z * p);
  const Vector signed_large = x < zero ? -large : large;
  return size < broadcast(util::vmath::kTanhLimit) ? small : signed_large;
}

/// 2^r for |r| up to 1/2, without the constant term.
constexpr float kExp2[] = {0.00134072558f, 0.00967187528f, 0.0555030853f, 0.24022235f,
                           0.693147242f};

/// 2^x for x from -60 to 0.
ET_TARGET inline Vector exp2_inside(Vector x) {
  const Vector shift = broadcast(util::vmath::kExpShift);
  const Vector shifted = x + shift;
  const Vector n = shifted - shift;
  const Vector r = x - n;
  const Vector p = polynomial(kExp2, r) * r + 1.0f;
#if ET_VECTOR_BYTES == 64
  return _mm512_scalef_ps(p, n);
#else
  return float_of_words(words_of(p) + ((words_of(shifted) - words_of(shift)) << 23));
#endif
}

/// As util::fast_gelu. The share above |x| is a power of 2, which is less work than one of e.
ET_TARGET inline Vector gelu_of(Vector x) {
  using util::vmath::kLogTail;
  constexpr double kPerLn2 = 1.4426950408889634;
  constexpr size_t kCount = sizeof(kLogTail) / sizeof(float);
  Vector p = broadcast(static_cast<float>(kLogTail[0] * kPerLn2));
  const Vector zero = Vector{};
  const Vector most = broadcast(util::vmath::kTailMost);
  const Vector size = abs_of(x);
  const Vector s = size > most ? most : size;
  ET_UNROLL
  for (size_t i = 1; i < kCount; ++i) {
    p = p * s + static_cast<float>(kLogTail[i] * kPerLn2);
  }
  const Vector some = exp2_inside(p);
  const Vector tail = size > most ? zero : some;
  const Vector positive = x - s * tail;
  return x <= zero ? x * tail : positive;
}

/// x / (1 + e^-2y) with y = sqrt(2 / pi) (x + 0.044715 x^3), which is x (1 + tanh y) / 2.
ET_TARGET inline Vector gelu_tanh_of(Vector x) {
  constexpr float kFactor = -1.59576912f;  // -2 sqrt(2 / pi)
  constexpr float kCubeFactor = 0.044715f;
  return x / (1.0f + exp_of(kFactor * (x + kCubeFactor * x * x * x)));
}

/// As util::fast_erf.
ET_TARGET inline Vector erf_of(Vector x) {
  using namespace util::vmath;
  const Vector size = abs_of(x);
  const Vector t = size > broadcast(kErfMost) ? broadcast(kErfMost) : size;
  const Vector large = 1.0f - exp_inside(polynomial(kLogErfc, t));
  const Vector small = x * polynomial(kErf, x * x);
  return size < broadcast(kErfLimit) ? small : with_sign(large, x);
}

/// e^x - 1.
ET_TARGET inline Vector expm1_of(Vector x) {
  using namespace util::vmath;
  // Below it the result is -1, above it e^x.
  const Vector low = broadcast(-30.0f);
  const Vector high = broadcast(40.0f);
  Vector y = x < low ? low : x;
  y = y > high ? high : y;
  const Vector shift = broadcast(kExpShift);
  const Vector shifted = y * kPerLn2 + shift;
  const Vector n = shifted - shift;
  const Vector r = (y - n * kLn2High) - n * kLn2Low;
  const Vector p = polynomial(kExp, r) * r * r + r;
  const Vector power = float_of_words((words_of(shifted) - words_of(shift) + 127u) << 23);
  const Vector result = p * power + (power - 1.0f);
  const Vector some = x > high ? exp_of(x) : result;
  return abs_of(x) < broadcast(1e-8f) ? x : some;
}

}  // namespace
}  // namespace torch::executor::native::optimized
