#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/toolchains/bare_metal/soft_float.h>

namespace {

using soft_float::Double;
using soft_float::Single;

template <typename To, typename From>
To as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

template <typename F, typename T>
struct Pair {
  using Format = F;
  using Real = T;
  using Bits = typename F::Bits;
};

template <typename P>
class SoftFloat : public ::testing::Test {
 public:
  using Bits = typename P::Bits;
  using Real = typename P::Real;

  /// Numbers of all exponents, near each other, whole, subnormal, and the special ones.
  static std::vector<Real> numbers() {
    using Limits = std::numeric_limits<Real>;
    std::vector<Real> found = {0,
                               -Real{0},
                               1,
                               -1,
                               Real{1.5},
                               3,
                               Limits::min(),
                               -Limits::denorm_min(),
                               Limits::max(),
                               Limits::epsilon(),
                               1 + Limits::epsilon(),
                               1 - Limits::epsilon() / 2,
                               Limits::infinity(),
                               -Limits::infinity(),
                               Limits::quiet_NaN()};
    std::mt19937_64 random(7);
    for (int i = 0; i < 300; ++i) {
      found.push_back(as<Real>(static_cast<Bits>(random())));
      found.push_back(static_cast<Real>(static_cast<int>(random() % 2000)) - 1000);
      found.push_back(
          std::ldexp(static_cast<Real>(random() % 4096), static_cast<int>(random() % 40) - 20));
      found.push_back(Limits::min() * static_cast<Real>(random() % 1000) / 500);
    }
    return found;
  }

  static void expect_same(Real got, Real wanted, Real a, Real b) {
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(got)) << a << ", " << b;
    } else {
      EXPECT_EQ(as<Bits>(got), as<Bits>(wanted))
          << a << ", " << b << ": " << got << " for " << wanted;
    }
  }
};

using Pairs = ::testing::Types<Pair<Single, float>, Pair<Double, double>>;
TYPED_TEST_SUITE(SoftFloat, Pairs);

TYPED_TEST(SoftFloat, ComputesWhatTheProcessorDoes) {
  using F = typename TypeParam::Format;
  using Real = typename TypeParam::Real;
  using Bits = typename TypeParam::Bits;
  const auto numbers = TestFixture::numbers();
  for (const Real a : numbers) {
    for (const Real b : numbers) {
      const auto x = as<Bits>(a);
      const auto y = as<Bits>(b);
      TestFixture::expect_same(as<Real>(soft_float::add<F>(x, y)), a + b, a, b);
      TestFixture::expect_same(as<Real>(soft_float::multiply<F>(x, y)), a * b, a, b);
      if (&b - numbers.data() < 200) {
        TestFixture::expect_same(as<Real>(soft_float::divide<F>(x, y)), a / b, a, b);
      }
      if (::testing::Test::HasFailure()) {
        return;
      }
    }
  }
}

TYPED_TEST(SoftFloat, ConvertsWholeNumbers) {
  using F = typename TypeParam::Format;
  using Real = typename TypeParam::Real;
  for (const Real a : TestFixture::numbers()) {
    if (std::fabs(a) < std::ldexp(Real{1}, 63)) {
      const auto expected = static_cast<uint64_t>(std::fabs(a));
      EXPECT_EQ(soft_float::to_integer<F>(as<typename F::Bits>(a), UINT64_MAX), expected) << a;
    }
    EXPECT_LE(soft_float::to_integer<F>(as<typename F::Bits>(a), 100), 100u);
  }
  std::mt19937_64 random(11);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t whole = random() >> (random() % 64);
    EXPECT_EQ(as<Real>(soft_float::from_integer<F>(false, whole)), static_cast<Real>(whole))
        << whole;
    EXPECT_EQ(as<Real>(soft_float::from_integer<F>(true, whole)), -static_cast<Real>(whole))
        << whole;
  }
}

TEST(SoftFloatConversion, KeepsTheNumber) {
  for (const double a : SoftFloat<Pair<Double, double>>::numbers()) {
    const auto got = as<float>(soft_float::convert<Single, Double>(as<uint64_t>(a)));
    SoftFloat<Pair<Single, float>>::expect_same(got, static_cast<float>(a), got, 0);
  }
  for (const float a : SoftFloat<Pair<Single, float>>::numbers()) {
    const auto got = as<double>(soft_float::convert<Double, Single>(as<uint32_t>(a)));
    SoftFloat<Pair<Double, double>>::expect_same(got, static_cast<double>(a), got, 0);
  }
}

TEST(SoftInteger, DividesAndMultiplies) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 2000; ++i) {
    const uint64_t a = random() >> (random() % 64);
    const uint64_t b = (random() >> (random() % 64)) | 1;
    const auto wide = soft_float::divide_unsigned<uint64_t>(a, b);
    EXPECT_EQ(wide.quotient, a / b);
    EXPECT_EQ(wide.remainder, a % b);
    const auto x = static_cast<uint32_t>(a);
    const auto y = static_cast<uint32_t>(b) | 1;
    EXPECT_EQ(soft_float::divide_unsigned<uint32_t>(x, y).quotient, x / y);
    EXPECT_EQ(soft_float::multiply_32(x, y), uint64_t{x} * y);
  }
}

}  // namespace
