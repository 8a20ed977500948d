#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include <executorch/runtime/core/portable_type/bfloat16.h>
#include <executorch/runtime/core/portable_type/bfloat16_math.h>

using executorch::runtime::etensor::BFloat16;

namespace {

BFloat16 from_bits(int bits) {
  return BFloat16(static_cast<uint16_t>(bits), BFloat16::from_bits());
}

float float_from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

TEST(BFloat16Test, EveryPatternGoesThereAndBack) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const float value = static_cast<float>(from_bits(bits));
    if ((bits & 0x7fff) > 0x7f80) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_EQ(BFloat16(value).x, 0x7fc0) << bits;
      continue;
    }
    uint32_t float_bits;
    std::memcpy(&float_bits, &value, sizeof(float_bits));
    ASSERT_EQ(float_bits, static_cast<uint32_t>(bits) << 16);
    ASSERT_EQ(BFloat16(value).x, bits);
  }
}

TEST(BFloat16Test, RoundsToNearestEven) {
  for (int bits = 0; bits < 0x7f80; ++bits) {
    const uint32_t middle = (static_cast<uint32_t>(bits) << 16) | 0x8000u;
    const int even = (bits & 1) == 0 ? bits : bits + 1;
    ASSERT_EQ(BFloat16(float_from_bits(middle)).x, even) << bits;
    ASSERT_EQ(BFloat16(float_from_bits(middle - 1)).x, bits) << bits;
    ASSERT_EQ(BFloat16(float_from_bits(middle + 1)).x, bits + 1) << bits;
    ASSERT_EQ(BFloat16(float_from_bits(middle | 0x80000000u)).x, even | 0x8000) << bits;
  }
}

TEST(BFloat16Test, Extremes) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(BFloat16(kInf).x, 0x7f80);
  EXPECT_EQ(BFloat16(-kInf).x, 0xff80);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).x, 0x7f80);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::denorm_min()).x, 0);
  EXPECT_EQ(BFloat16(float_from_bits(0x7f800001)).x, 0x7fc0);
  EXPECT_EQ(BFloat16(float_from_bits(0xffffffff)).x, 0x7fc0);
  EXPECT_EQ(BFloat16(-0.0f).x, 0x8000);
}

TEST(BFloat16Test, ArithmeticAndLimits) {
  const BFloat16 a = 1.5f;
  const BFloat16 b = 2.0f;
  EXPECT_EQ(static_cast<float>(a + b), 3.5f);
  EXPECT_EQ(static_cast<float>(a / b), 0.75f);
  EXPECT_EQ(static_cast<float>(a * 2), 3.0f);
  EXPECT_EQ(a - 1.0f, 0.5f);
  EXPECT_TRUE(a < b);
  using Limits = std::numeric_limits<BFloat16>;
  EXPECT_EQ(static_cast<float>(Limits::max()), 0x1.fep127f);
  EXPECT_EQ(static_cast<float>(Limits::lowest()), -0x1.fep127f);
  EXPECT_EQ(static_cast<float>(Limits::min()), 0x1p-126f);
  EXPECT_EQ(static_cast<float>(Limits::epsilon()), 0x1p-7f);
  EXPECT_EQ(static_cast<float>(std::sqrt(BFloat16(9.0f))), 3.0f);
  EXPECT_EQ(std::nextafter(from_bits(0x3f80), BFloat16(2.0f)).x, 0x3f81);
  static_assert(sizeof(BFloat16) == 2 && alignof(BFloat16) == 2, "");
}

}  // namespace
