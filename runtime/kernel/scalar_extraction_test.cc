#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/kernel/scalar_extraction.h>

namespace {

using executorch::aten::Scalar;
using executorch::runtime::extract_scalar;

TEST(ExtractScalarTest, IntegersWithinRange) {
  int8_t narrow = 0;
  EXPECT_TRUE(extract_scalar(Scalar(127), &narrow));
  EXPECT_EQ(narrow, 127);
  EXPECT_TRUE(extract_scalar(Scalar(-128), &narrow));
  EXPECT_EQ(narrow, -128);
  EXPECT_FALSE(extract_scalar(Scalar(128), &narrow));
  EXPECT_FALSE(extract_scalar(Scalar(-129), &narrow));
  EXPECT_FALSE(extract_scalar(Scalar(1.0), &narrow));
  EXPECT_TRUE(extract_scalar(Scalar(true), &narrow));
  EXPECT_EQ(narrow, 1);

  uint8_t bytes = 0;
  EXPECT_TRUE(extract_scalar(Scalar(255), &bytes));
  EXPECT_FALSE(extract_scalar(Scalar(256), &bytes));
  EXPECT_FALSE(extract_scalar(Scalar(-1), &bytes));

  int64_t wide = 0;
  EXPECT_TRUE(extract_scalar(Scalar(std::numeric_limits<int64_t>::min()), &wide));
  EXPECT_EQ(wide, std::numeric_limits<int64_t>::min());
}

TEST(ExtractScalarTest, FloatingPoint) {
  float value = 0;
  EXPECT_TRUE(extract_scalar(Scalar(0.5), &value));
  EXPECT_EQ(value, 0.5f);
  EXPECT_TRUE(extract_scalar(Scalar(3), &value));
  EXPECT_EQ(value, 3.0f);
  EXPECT_FALSE(extract_scalar(Scalar(1e39), &value));
  EXPECT_FALSE(extract_scalar(Scalar(-1e39), &value));
  EXPECT_TRUE(extract_scalar(Scalar(std::numeric_limits<double>::infinity()), &value));
  EXPECT_TRUE(std::isinf(value));
  EXPECT_TRUE(extract_scalar(Scalar(std::nan("")), &value));
  EXPECT_TRUE(std::isnan(value));
  double wide = 0;
  EXPECT_TRUE(extract_scalar(Scalar(1e300), &wide));
  EXPECT_EQ(wide, 1e300);
}

TEST(ExtractScalarTest, Bools) {
  bool value = false;
  EXPECT_TRUE(extract_scalar(Scalar(2), &value));
  EXPECT_TRUE(value);
  EXPECT_TRUE(extract_scalar(Scalar(false), &value));
  EXPECT_FALSE(value);
  EXPECT_FALSE(extract_scalar(Scalar(1.0), &value));
}

TEST(ExtractScalarDeathTest, MacroAbortsOnTheWrongType) {
  int32_t value = 0;
  ET_EXTRACT_SCALAR(Scalar(7), value);
  EXPECT_EQ(value, 7);
  EXPECT_DEATH(ET_EXTRACT_SCALAR(Scalar(0.5), value), "value");
}

}  // namespace
