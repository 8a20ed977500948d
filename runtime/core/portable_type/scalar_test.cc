#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <executorch/runtime/core/portable_type/scalar.h>

using executorch::runtime::etensor::BFloat16;
using executorch::runtime::etensor::Half;
using executorch::runtime::etensor::Scalar;
using executorch::runtime::etensor::ScalarType;

namespace {

TEST(ScalarTest, KindFollowsTheArgument) {
  EXPECT_TRUE(Scalar(true).isBoolean());
  EXPECT_TRUE(Scalar(true).isIntegral(/*includeBool=*/true));
  EXPECT_FALSE(Scalar(true).isIntegral(/*includeBool=*/false));
  for (const Scalar& s : {Scalar(1), Scalar(int8_t{1}), Scalar(uint8_t{1}), Scalar(int64_t{1}),
                          Scalar(size_t{1}), Scalar('\1')}) {
    EXPECT_TRUE(s.isIntegral(false));
    EXPECT_EQ(s.type(), ScalarType::Long);
    EXPECT_EQ(s.to<int64_t>(), 1);
  }
  for (const Scalar& s : {Scalar(1.5), Scalar(1.5f), Scalar(Half(1.5f)), Scalar(BFloat16(1.5f))}) {
    EXPECT_TRUE(s.isFloatingPoint());
    EXPECT_EQ(s.type(), ScalarType::Double);
    EXPECT_EQ(s.to<double>(), 1.5);
  }
  EXPECT_EQ(Scalar(true).type(), ScalarType::Bool);
  EXPECT_EQ(Scalar().to<int64_t>(), 0);
}

TEST(ScalarTest, Converts) {
  EXPECT_EQ(Scalar(2.75).to<int64_t>(), 2);
  EXPECT_EQ(Scalar(-2.75).to<int32_t>(), -2);
  EXPECT_EQ(Scalar(3).to<double>(), 3.0);
  EXPECT_EQ(Scalar(3).to<float>(), 3.0f);
  EXPECT_EQ(static_cast<float>(Scalar(1.5).to<Half>()), 1.5f);
  EXPECT_EQ(static_cast<float>(Scalar(3).to<BFloat16>()), 3.0f);
  EXPECT_EQ(Scalar(true).to<double>(), 1.0);
  EXPECT_EQ(Scalar(true).to<int64_t>(), 1);
  EXPECT_TRUE(Scalar(2).to<bool>());
  EXPECT_FALSE(Scalar(0.0).to<bool>());
  EXPECT_TRUE(Scalar(0.5).to<bool>());
  EXPECT_TRUE(Scalar(NAN).to<bool>());
  EXPECT_EQ(Scalar(7).toInt(), 7);
  EXPECT_EQ(Scalar(7.5).toDouble(), 7.5);
  EXPECT_TRUE(Scalar(true).toBool());
}

TEST(ScalarTest, OutOfRangeDoublesSaturate) {
  EXPECT_EQ(Scalar(1e300).to<int64_t>(), INT64_MAX);
  EXPECT_EQ(Scalar(-1e300).to<int64_t>(), INT64_MIN);
  EXPECT_EQ(Scalar(9223372036854775807.0).to<int64_t>(), INT64_MAX);
  EXPECT_EQ(Scalar(INFINITY).to<int8_t>(), 127);
  EXPECT_EQ(Scalar(-INFINITY).to<int8_t>(), -128);
  EXPECT_EQ(Scalar(-1.0).to<uint8_t>(), 0);
  EXPECT_EQ(Scalar(1e30).to<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(Scalar(255.9).to<uint8_t>(), 255);
  EXPECT_EQ(Scalar(256.0).to<uint8_t>(), 255);
  EXPECT_EQ(Scalar(NAN).to<int64_t>(), 0);
}

}  // namespace
