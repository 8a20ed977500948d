#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <executorch/kernels/portable/cpu/internal/vmath.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace torch::executor::native::util {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

/// Distance in units of the last place of the float nearest to `expected`.
double ulps(float actual, double expected) {
  const float nearest = static_cast<float>(expected);
  if (std::isinf(nearest) || std::isnan(nearest)) {
    return std::isnan(nearest) ? (std::isnan(actual) ? 0 : 1e9) : (actual == nearest ? 0 : 1e9);
  }
  const float next = std::nextafter(std::fabs(nearest), kInf);
  return std::fabs(actual - expected) / (static_cast<double>(next) - std::fabs(nearest));
}

/// Every 997th float from -|limit| to |limit|, and the special ones.
template <typename Check>
void for_floats(float limit, Check&& check) {
  for (uint32_t bits = 0; bits <= float_to_bits(limit); bits += 997) {
    check(float_from_bits(bits));
    check(float_from_bits(bits | 0x80000000u));
  }
  for (const float x : {0.0f, -0.0f, kInf, -kInf, std::nanf("")}) {
    check(x);
  }
}

TEST(VmathTest, Exp) {
  double worst = 0;
  for_floats(110.0f,
             [&](float x) { worst = std::max(worst, ulps(fast_exp(x), std::exp(double{x}))); });
  EXPECT_LT(worst, 2.0);
}

TEST(VmathTest, Tanh) {
  double worst = 0;
  for_floats(20.0f,
             [&](float x) { worst = std::max(worst, ulps(fast_tanh(x), std::tanh(double{x}))); });
  EXPECT_LT(worst, 3.0);
  EXPECT_TRUE(std::signbit(fast_tanh(-0.0f)));
}

TEST(VmathTest, Sigmoid) {
  double worst = 0;
  for_floats(80.0f, [&](float x) {
    worst = std::max(worst, ulps(fast_sigmoid(x), 1.0 / (1.0 + std::exp(-double{x}))));
  });
  EXPECT_LT(worst, 3.0);
}

TEST(VmathTest, Gelu) {
  double worst = 0;
  for_floats(12.0f, [&](float x) {
    if (!std::isinf(x)) {
      const double expected = 0.5 * x * std::erfc(-double{x} * std::sqrt(0.5));
      // Below the limit the result is 0.
      const double error = std::fabs(expected) < 5e-8 ? std::fabs(fast_gelu(x) - expected) / 5e-8
                                                      : ulps(fast_gelu(x), expected) / 150;
      worst = std::max(worst, x > 0 ? 20 * error : error);
    }
  });
  EXPECT_LT(worst, 1.0);
  EXPECT_EQ(fast_gelu(kInf), kInf);
  EXPECT_TRUE(std::isnan(fast_gelu(-kInf)));
  EXPECT_TRUE(std::isnan(fast_gelu(std::nanf(""))));
  EXPECT_TRUE(std::signbit(fast_gelu(-0.0f)));
}

TEST(VmathTest, Erf) {
  double worst = 0;
  for_floats(6.0f,
             [&](float x) { worst = std::max(worst, ulps(fast_erf(x), std::erf(double{x}))); });
  EXPECT_LT(worst, 4.0);
  EXPECT_TRUE(std::signbit(fast_erf(-0.0f)));
}

TEST(VmathTest, EveryHalf) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    executorch::aten::Half half;
    half.x = static_cast<uint16_t>(bits);
    const float expected = static_cast<float>(half);
    const float actual = half_to_float(half.x);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(actual)) << bits;
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(actual)))) << bits;
    } else {
      EXPECT_EQ(float_to_bits(actual), float_to_bits(expected)) << bits;
      EXPECT_EQ(float_to_half(actual), half.x) << bits;
    }
  }
}

TEST(VmathTest, RoundingToHalfTypes) {
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 4099) {
    const float f = float_from_bits(static_cast<uint32_t>(bits));
    if (std::isnan(f)) {
      continue;
    }
    EXPECT_EQ(float_to_half(f), executorch::aten::Half(f).x) << f;
    EXPECT_EQ(float_to_bfloat16(f), executorch::aten::BFloat16(f).x) << f;
  }
  // Halfway cases go to the even neighbour.
  for (uint32_t half = 0; half < 0x7bff; ++half) {
    const float low = half_to_float(static_cast<uint16_t>(half));
    const float high = half_to_float(static_cast<uint16_t>(half + 1));
    EXPECT_EQ(float_to_half((low + high) / 2), (half & 1) != 0 ? half + 1 : half);
  }
}

}  // namespace
}  // namespace torch::executor::native::util
