#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/portable_type/c10/c10/util/bit_cast.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/irange.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/llvmMathExtras.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/overflows.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/safe_numerics.h>
#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/BFloat16.h>

namespace {

template <typename Range>
std::vector<int64_t> collect(Range range) {
  std::vector<int64_t> values;
  for (const auto i : range) {
    values.push_back(static_cast<int64_t>(i));
  }
  return values;
}

TEST(IrangeTest, CountsUp) {
  EXPECT_EQ(collect(c10::irange(3)), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(collect(c10::irange(2, 4)), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(collect(c10::irange(-2, 1)), (std::vector<int64_t>{-2, -1, 0}));
  EXPECT_TRUE(collect(c10::irange(-3)).empty());
  EXPECT_TRUE(collect(c10::irange(4, 2)).empty());
  EXPECT_TRUE(collect(c10::irange(size_t{0})).empty());
  static_assert(std::is_same<decltype(*c10::irange(size_t{1}).begin()), size_t>::value, "");
}

TEST(SafeNumericsTest, ReportsOverflow) {
  uint64_t u = 0;
  EXPECT_FALSE(c10::add_overflows(UINT64_MAX - 1, uint64_t{1}, &u));
  EXPECT_EQ(u, UINT64_MAX);
  EXPECT_TRUE(c10::add_overflows(UINT64_MAX, uint64_t{1}, &u));
  EXPECT_EQ(u, 0u);
  EXPECT_TRUE(c10::mul_overflows(uint64_t{1} << 32, uint64_t{1} << 32, &u));
  EXPECT_FALSE(c10::mul_overflows(uint64_t{1} << 32, (uint64_t{1} << 32) - 1, &u));
  int32_t i = 0;
  EXPECT_TRUE(c10::add_overflows(INT32_MAX, 1, &i));
  EXPECT_TRUE(c10::add_overflows(INT32_MIN, -1, &i));
  EXPECT_TRUE(c10::mul_overflows(INT32_MIN, -1, &i));
  EXPECT_FALSE(c10::mul_overflows(-2, 3, &i));
  EXPECT_EQ(i, -6);
  const std::vector<int32_t> sizes = {INT32_MAX, INT32_MAX, 5};
  EXPECT_TRUE(c10::safe_multiplies_u64(sizes, &u));
  EXPECT_FALSE(c10::safe_multiplies_u64(std::vector<int32_t>{2, 3}, &u));
  EXPECT_EQ(u, 6u);
}

TEST(OverflowsTest, IntegersAndFloats) {
  EXPECT_FALSE((c10::overflows<int8_t>(127)));
  EXPECT_TRUE((c10::overflows<int8_t>(128)));
  EXPECT_FALSE((c10::overflows<int8_t>(-128)));
  EXPECT_TRUE((c10::overflows<int8_t>(-129)));
  EXPECT_TRUE((c10::overflows<int32_t>(int64_t{1} << 31)));
  EXPECT_FALSE((c10::overflows<uint64_t>(INT64_MAX)));
  EXPECT_FALSE((c10::overflows<int64_t>(uint64_t{INT64_MAX})));
  EXPECT_TRUE((c10::overflows<int64_t>(UINT64_MAX)));
  EXPECT_FALSE((c10::overflows<uint8_t>(-1)));
  EXPECT_TRUE((c10::overflows<uint8_t>(-1, /*strict_unsigned=*/true)));
  EXPECT_TRUE((c10::overflows<uint8_t>(-256)));
  EXPECT_TRUE((c10::overflows<int64_t>(9223372036854775808.0)));
  EXPECT_FALSE((c10::overflows<int64_t>(-9223372036854775808.0)));
  EXPECT_TRUE((c10::overflows<int32_t>(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE((c10::overflows<int32_t>(std::numeric_limits<double>::infinity())));
  EXPECT_FALSE((c10::overflows<float>(std::numeric_limits<double>::infinity())));
  EXPECT_TRUE((c10::overflows<float>(1e300)));
  EXPECT_TRUE((c10::overflows<c10::Half>(1e5)));
  EXPECT_FALSE((c10::overflows<c10::BFloat16>(1e5)));
  EXPECT_FALSE((c10::overflows<bool>(5)));
  EXPECT_TRUE((c10::overflows<float>(c10::complex<double>(1, 1))));
  EXPECT_FALSE((c10::overflows<float>(c10::complex<double>(1, 0))));
}

TEST(TypeSafeSignMathTest, ComparesAcrossTypes) {
  EXPECT_FALSE(c10::is_negative(0u));
  EXPECT_TRUE(c10::is_negative(-1));
  EXPECT_EQ(c10::signum(-3.5), -1);
  EXPECT_EQ(c10::signum(7u), 1);
  EXPECT_TRUE(c10::signs_differ(-1, 1u));
  EXPECT_TRUE(c10::greater_than_max<int8_t>(128u));
  EXPECT_FALSE(c10::greater_than_max<uint32_t>(-1));
  EXPECT_TRUE(c10::less_than_lowest<uint8_t>(-1));
  EXPECT_FALSE(c10::less_than_lowest<int64_t>(0u));
  EXPECT_TRUE(c10::greater_than_max<int64_t>(9.3e18));
}

TEST(LlvmMathTest, PowersOfTwo) {
  EXPECT_EQ(c10::llvm::countTrailingZeros(uint32_t{8}), 3u);
  EXPECT_EQ(c10::llvm::countTrailingZeros(uint32_t{0}), 32u);
  EXPECT_EQ(c10::llvm::countLeadingZeros(uint64_t{1}), 63u);
  EXPECT_EQ(c10::llvm::countLeadingZeros(uint64_t{0}), 64u);
  EXPECT_TRUE(c10::llvm::isPowerOf2_64(64));
  EXPECT_FALSE(c10::llvm::isPowerOf2_32(0));
  EXPECT_EQ(c10::llvm::Log2_32(9), 3u);
  EXPECT_EQ(c10::llvm::Log2_64_Ceil(9), 4u);
  EXPECT_EQ(c10::llvm::NextPowerOf2(8), 16u);
  EXPECT_EQ(c10::llvm::PowerOf2Ceil(9), 16u);
  EXPECT_EQ(c10::llvm::PowerOf2Floor(9), 8u);
  EXPECT_EQ(c10::llvm::MinAlign(8, 12), 4u);
  EXPECT_EQ(c10::llvm::divideCeil(7, 2), 4u);
}

TEST(BitCastTest, KeepsTheBytes) {
  EXPECT_EQ(c10::bit_cast<uint32_t>(1.0f), 0x3f800000u);
  EXPECT_EQ(c10::bit_cast<float>(0x40000000u), 2.0f);
}

}  // namespace
