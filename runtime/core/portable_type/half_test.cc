#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include <executorch/runtime/core/portable_type/bfloat16_math.h>
#include <executorch/runtime/core/portable_type/half.h>

using executorch::runtime::etensor::Half;

namespace {

Half from_bits(int bits) { return Half(static_cast<uint16_t>(bits), Half::from_bits()); }

uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// The definition of binary16, in double arithmetic.
double reference_value(int bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(HalfTest, EveryFinitePatternHasItsValue) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    if (((bits >> 10) & 31) == 31) {
      continue;
    }
    const float value = static_cast<float>(from_bits(bits));
    ASSERT_EQ(static_cast<double>(value), reference_value(bits)) << bits;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
    ASSERT_EQ(Half(value).x, bits) << "there and back";
  }
}

TEST(HalfTest, InfinitiesAndNans) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(static_cast<float>(from_bits(0x7c00)), kInf);
  EXPECT_EQ(static_cast<float>(from_bits(0xfc00)), -kInf);
  EXPECT_EQ(Half(kInf).x, 0x7c00);
  EXPECT_EQ(Half(-kInf).x, 0xfc00);
  for (int bits = 0x7c01; bits < 0x8000; ++bits) {
    ASSERT_TRUE(std::isnan(static_cast<float>(from_bits(bits)))) << bits;
    ASSERT_TRUE(std::isnan(static_cast<float>(from_bits(bits | 0x8000)))) << bits;
    // A NaN stays a NaN, and the payload above the quiet bit survives.
    ASSERT_EQ(Half(static_cast<float>(from_bits(bits))).x | 0x200, bits | 0x200) << bits;
  }
  EXPECT_TRUE(std::isnan(static_cast<float>(Half(std::numeric_limits<float>::quiet_NaN()))));
  // A payload in the low bits only must not turn into infinity.
  uint32_t low_payload = 0x7f800001;
  float nan;
  std::memcpy(&nan, &low_payload, sizeof(nan));
  EXPECT_TRUE(std::isnan(static_cast<float>(Half(nan))));
}

// Between two neighbours lies the midpoint; a float on either side of it, or on it, has a known
// result. This covers normal numbers, denormals, the border between them, and overflow.
TEST(HalfTest, RoundsToNearestEven) {
  for (int bits = 0; bits < 0x7c00; ++bits) {
    const double low = reference_value(bits);
    const double high = reference_value(bits + 1);  // 0x7c00 is taken as 65536
    const float middle = static_cast<float>((low + high) / 2);
    const int even = (bits & 1) == 0 ? bits : bits + 1;
    ASSERT_EQ(Half(middle).x, even) << bits;
    ASSERT_EQ(Half(std::nextafterf(middle, 0.0f)).x, bits) << bits;
    ASSERT_EQ(Half(std::nextafterf(middle, 1e9f)).x, bits + 1) << bits;
    ASSERT_EQ(Half(-middle).x, even | 0x8000) << bits;
  }
}

TEST(HalfTest, LargeAndTinyFloats) {
  EXPECT_EQ(Half(65504.0f).x, 0x7bff);
  EXPECT_EQ(Half(65519.99f).x, 0x7bff);
  EXPECT_EQ(Half(65520.0f).x, 0x7c00);
  EXPECT_EQ(Half(1e30f).x, 0x7c00);
  EXPECT_EQ(Half(std::numeric_limits<float>::max()).x, 0x7c00);
  EXPECT_EQ(Half(std::numeric_limits<float>::denorm_min()).x, 0);
  EXPECT_EQ(Half(-1e-30f).x, 0x8000);
  EXPECT_EQ(Half(0x1p-25f).x, 0);
  EXPECT_EQ(Half(0x1.000002p-25f).x, 1);
}

TEST(HalfTest, Arithmetic) {
  const Half a = 1.5f;
  const Half b = 2.0f;
  EXPECT_EQ(static_cast<float>(a + b), 3.5f);
  EXPECT_EQ(static_cast<float>(a - b), -0.5f);
  EXPECT_EQ(static_cast<float>(a * b), 3.0f);
  EXPECT_EQ(static_cast<float>(a / b), 0.75f);
  EXPECT_EQ(static_cast<float>(-a), -1.5f);
  EXPECT_EQ((-Half(0.0f)).x, 0x8000);
  EXPECT_EQ(a + 1.0f, 2.5f);
  EXPECT_EQ(1.0 + a, 2.5);
  EXPECT_EQ(static_cast<float>(a * 2), 3.0f);
  EXPECT_EQ(static_cast<float>(int64_t{3} - a), 1.5f);
  Half c = a;
  c += b;
  c *= b;
  c -= a;
  c /= b;
  EXPECT_EQ(static_cast<float>(c), 2.75f);
  float f = 1.0f;
  f += a;
  EXPECT_EQ(f, 2.5f);
  EXPECT_TRUE(a < b && b > a && a == Half(1.5f) && a != b && a <= a);
  static_assert(std::is_same<decltype(a + b), Half>::value, "");
  static_assert(std::is_same<decltype(a + 1.0f), float>::value, "");
  static_assert(std::is_same<decltype(a + 1.0), double>::value, "");
  static_assert(std::is_same<decltype(a + 1), Half>::value, "");
}

TEST(HalfTest, Limits) {
  using Limits = std::numeric_limits<Half>;
  EXPECT_EQ(static_cast<float>(Limits::max()), 65504.0f);
  EXPECT_EQ(static_cast<float>(Limits::lowest()), -65504.0f);
  EXPECT_EQ(static_cast<float>(Limits::min()), 0x1p-14f);
  EXPECT_EQ(static_cast<float>(Limits::denorm_min()), 0x1p-24f);
  EXPECT_EQ(static_cast<float>(Limits::epsilon()), 0x1p-10f);
  EXPECT_EQ(static_cast<float>(Limits::round_error()), 0.5f);
  EXPECT_TRUE(std::isinf(static_cast<float>(Limits::infinity())));
  EXPECT_TRUE(std::isnan(static_cast<float>(Limits::quiet_NaN())));
}

TEST(HalfTest, Math) {
  EXPECT_EQ(static_cast<float>(std::sqrt(Half(4.0f))), 2.0f);
  EXPECT_EQ(static_cast<float>(std::abs(Half(-4.0f))), 4.0f);
  EXPECT_EQ(static_cast<float>(std::pow(Half(2.0f), Half(3.0f))), 8.0f);
  EXPECT_TRUE(std::isnan(Half(NAN)));
  EXPECT_TRUE(std::isinf(std::numeric_limits<Half>::infinity()));
  static_assert(std::is_same<decltype(std::exp(Half())), Half>::value, "");
  for (int bits = 0; bits < 0x7bff; ++bits) {
    ASSERT_EQ(std::nextafter(from_bits(bits), Half(1e6f)).x, bits + 1);
    ASSERT_EQ(std::nextafter(from_bits(bits + 1), Half(-1.0f)).x, bits == 0 ? 0 : bits);
  }
  EXPECT_EQ(std::nextafter(Half(0.0f), Half(-1.0f)).x, 0x8001);
  EXPECT_EQ(std::nextafter(from_bits(0x8001), Half(1.0f)).x, 0x8000);
}

TEST(HalfTest, IsTwoBytes) {
  static_assert(sizeof(Half) == 2 && alignof(Half) == 2, "");
  static_assert(std::is_trivially_copyable<Half>::value, "");
  static_assert(std::is_trivially_default_constructible<Half>::value, "");
  EXPECT_EQ(bits_of(static_cast<float>(from_bits(0x8000))), 0x80000000u);
}

}  // namespace
