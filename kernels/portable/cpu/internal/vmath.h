/**
 * @file
 * Transcendental functions without branches or calls in float, so that compilers turn loops over
 * them into vector instructions. Double goes to the C library.
 *
 * Errors are a few units in the last place; NaN, infinities, overflow, gradual underflow and signed
 * zeros are as in the C library. The polynomials are weighted least-squares fits.
 */
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace torch::executor::native::util {

/// The constants of the functions below, for whoever calculates several elements at a time, too.
/// Polynomials have the coefficient of the highest power first.
namespace vmath {

/// Beyond these the exponential is 0 or infinite.
constexpr float kExpLeast = -104.0f;
constexpr float kExpMost = 89.0f;
/// x = n ln 2 + r; adding the shift, 1.5 * 2^23, leaves n, rounded, in the low bits.
constexpr float kExpShift = 12582912.0f;
constexpr float kPerLn2 = 1.44269504f;
constexpr float kLn2High = 0.693145752f;
constexpr float kLn2Low = 1.42860677e-6f;
/// (e^r - 1 - r) / r^2.
constexpr float kExp[] = {0.000199188158f, 0.00139463926f, 0.00833326392f,
                          0.0416662656f,   0.166666672f,   0.5f};

/// Below its limit, (tanh(x) / x - 1) / x^2 of x^2; above it the exponential does not cancel.
constexpr float kTanhLimit = 0.65f;
constexpr float kTanh[] = {0.00203175144f, -0.00805394724f, 0.0216501541f,
                           -0.053937465f,  0.133331329f,    -0.333333284f};

/// Below its limit, erf(x) / x of x^2; above it the logarithm of the complement, which is smooth
/// and ends at 4.
constexpr float kErfLimit = 0.97f;
constexpr float kErfMost = 4.0f;
constexpr float kErf[] = {7.88912294e-05f, -0.000802084222f, 0.00518953567f, -0.0268544443f,
                          0.112836003f,    -0.37612626f,     1.12837911f};
constexpr float kLogErfc[] = {-1.69796024e-07f, -1.92620482e-05f, 0.000426501385f,
                              -0.00415376294f,  0.0251017343f,    -0.108278453f,
                              -0.633332849f,    -1.12952733f,     0.00017812218f};

/// The logarithm of the normal distribution's share above |x|; there is none above the limit.
constexpr float kTailMost = 5.66f;
constexpr float kLogTail[] = {1.01438161e-07f,  -2.53790608e-06f, 2.50755675e-05f, -0.000104067978f,
                              -0.000171295949f, 0.00500486372f,   -0.0364640392f,  -0.318274319f,
                              -0.79788816f,     -0.693147123f};

/// Unrolled by recursion, so that loops over it become vectors.
template <size_t kIndex = 1, size_t kCount>
inline float polynomial(const float (&c)[kCount], float x, float p) {
  if constexpr (kIndex < kCount) {
    return polynomial<kIndex + 1>(c, x, p * x + c[kIndex]);
  }
  return p;
}

}  // namespace vmath

inline float float_from_bits(uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, sizeof(f));
  return f;
}

inline uint32_t float_to_bits(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof(bits));
  return bits;
}

inline double fast_exp(double x) { return std::exp(x); }

inline float fast_exp(float x) {
  using namespace vmath;
  x = x < kExpLeast ? kExpLeast : x;  // NaN passes.
  x = x > kExpMost ? kExpMost : x;
  const float shifted = x * kPerLn2 + kExpShift;
  const float n = shifted - kExpShift;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  const float p = polynomial(kExp, r, kExp[0]) * r * r + r + 1.0f;
  // 2^n in two factors, since it may be outside of the normal floats.
  const int32_t exponent = static_cast<int32_t>(float_to_bits(shifted) - float_to_bits(kExpShift));
  const int32_t half = exponent >> 1;
  const float scale = float_from_bits(static_cast<uint32_t>(half + 127) << 23);
  const float rest = float_from_bits(static_cast<uint32_t>(exponent - half + 127) << 23);
  return p * scale * rest;
}

template <typename C>
inline C fast_sigmoid(C x) {
  return C(1) / (C(1) + fast_exp(-x));
}

inline double fast_tanh(double x) { return std::tanh(x); }

inline float fast_tanh(float x) {
  const float size = x < 0 ? -x : x;
  // From the exponential, except where that would cancel.
  const float large = 1.0f - 2.0f / (fast_exp(2.0f * size) + 1.0f);
  const float z = x * x;
  const float p = vmath::polynomial(vmath::kTanh, z, vmath::kTanh[0]);
  const float small = x * (1.0f + z * p);
  const float signed_large = x < 0 ? -large : large;
  return size < vmath::kTanhLimit ? small : signed_large;
}

inline double fast_erf(double x) { return std::erf(x); }

inline float fast_erf(float x) {
  using namespace vmath;
  const float size = x < 0 ? -x : x;
  const float t = size > kErfMost ? kErfMost : size;
  const float large = 1.0f - fast_exp(polynomial(kLogErfc, t, kLogErfc[0]));
  const float small = x * polynomial(kErf, x * x, kErf[0]);
  const float signed_large = x < 0 ? -large : large;
  return size < kErfLimit ? small : signed_large;
}

inline double fast_gelu(double x) {
  constexpr double kSqrtHalf = 0.70710678118654752440;
  return 0.5 * x * (1.0 + std::erf(x * kSqrtHalf));
}

/// x times the normal distribution's share below x. Small results are exact to a few units of the
/// last place, too, since nothing cancels; negative infinity gives NaN.
inline float fast_gelu(float x) {
  using namespace vmath;
  const float size = x < 0 ? -x : x;
  const float s = size > kTailMost ? kTailMost : size;
  const float some = fast_exp(polynomial(kLogTail, s, kLogTail[0]));
  const float tail = size > kTailMost ? 0.0f : some;
  return x <= 0 ? x * tail : x - s * tail;
}

/// The float of a half-precision number's bits.
inline float half_to_float(uint16_t bits) {
  const uint32_t magnitude = bits & 0x7fffu;
  // Moved into place the exponent is 112 too small; the product also normalises subnormals.
  const float scaled = float_from_bits(magnitude << 13) * float_from_bits(0x77800000u);
  const uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  return float_from_bits(float_to_bits(scaled) | special | sign);
}

/// The bits of the half-precision number nearest to `f`, ties to even.
inline uint16_t float_to_half(float f) {
  const uint32_t bits = float_to_bits(f);
  const uint32_t sign = bits & 0x80000000u;
  const uint32_t magnitude = bits ^ sign;
  // Normal results: rebias the exponent and round.
  const uint32_t odd = (magnitude >> 13) & 1u;
  const uint32_t normal = (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
  // Subnormal ones: adding 0.5 makes the hardware round at the right place.
  const uint32_t subnormal = float_to_bits(float_from_bits(magnitude) + 0.5f) - 0x3f000000u;
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x477ff000u ? 0x7c00u : result;
  result = magnitude > 0x7f800000u ? 0x7e00u : result;
  return static_cast<uint16_t>(result | (sign >> 16));
}

inline float bfloat16_to_float(uint16_t bits) {
  return float_from_bits(static_cast<uint32_t>(bits) << 16);
}

/// The bits of the bfloat16 nearest to `f`, ties to even.
inline uint16_t float_to_bfloat16(float f) {
  const uint32_t bits = float_to_bits(f);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return static_cast<uint16_t>(f != f ? 0x7fc0u : rounded);
}

}  // namespace torch::executor::native::util
