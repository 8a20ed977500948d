/// @file
/// Comparison of tensors in tests: predicates, googletest matchers and macros. Uses the heap; not
/// for production code.
///
/// Two tensors are equal (close) if dtype, shape and strides agree and so do the elements; NaN
/// equals NaN. The "data" variants compare dtype and elements only, in memory order.
#pragma once

#include <iosfwd>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace internal {

constexpr double kDefaultRtol = 1e-5;
constexpr double kDefaultAtol = 1e-8;
/// Half and BFloat16 have 11 and 8 bits.
constexpr double kDefaultHalfAtol = 1e-3;
constexpr double kDefaultBFloat16Atol = 1e-2;

}  // namespace internal

/// Elements a, b are close if |a - b| <= atol + rtol * |b|. Without tolerances, those suitable for
/// the dtype. Integers and bools must be equal.
bool tensors_are_close(const ::executorch::aten::Tensor& a, const ::executorch::aten::Tensor& b,
                       double rtol = internal::kDefaultRtol,
                       std::optional<double> opt_atol = std::nullopt);

/// tensors_are_close() without comparing shapes: dtype, number of elements and elements.
bool tensor_data_is_close(const ::executorch::aten::Tensor& a, const ::executorch::aten::Tensor& b,
                          double rtol = internal::kDefaultRtol,
                          std::optional<double> opt_atol = std::nullopt);

/// As many tensors, pairwise close.
bool tensor_lists_are_close(const ::executorch::aten::Tensor* tensors_a, size_t num_tensors_a,
                            const ::executorch::aten::Tensor* tensors_b, size_t num_tensors_b,
                            double rtol = internal::kDefaultRtol,
                            std::optional<double> opt_atol = std::nullopt);

MATCHER_P(IsEqualTo, other, "") { return tensors_are_close(arg, other, 0, 0); }
MATCHER_P(IsCloseTo, other, "") { return tensors_are_close(arg, other); }
MATCHER_P3(IsCloseTo, other, rtol, atol, "") { return tensors_are_close(arg, other, rtol, atol); }
MATCHER_P(IsDataEqualTo, other, "") { return tensor_data_is_close(arg, other, 0, 0); }
MATCHER_P(IsDataCloseTo, other, "") { return tensor_data_is_close(arg, other); }
MATCHER_P3(IsDataCloseTo, other, rtol, atol, "") {
  return tensor_data_is_close(arg, other, rtol, atol);
}
MATCHER_P(IsListEqualTo, other, "") {
  return tensor_lists_are_close(arg.data(), arg.size(), other.data(), other.size(), 0, 0);
}
MATCHER_P(IsListCloseTo, other, "") {
  return tensor_lists_are_close(arg.data(), arg.size(), other.data(), other.size());
}
MATCHER_P3(IsListCloseTo, other, rtol, atol, "") {
  return tensor_lists_are_close(arg.data(), arg.size(), other.data(), other.size(), rtol, atol);
}

}  // namespace testing

namespace etensor {
// For failure messages; found by argument-dependent lookup.
std::ostream& operator<<(std::ostream& os, const Tensor& t);
std::ostream& operator<<(std::ostream& os, const Scalar& s);
std::ostream& operator<<(std::ostream& os, ScalarType t);
}  // namespace etensor

}  // namespace runtime
}  // namespace executorch

#define ET_INTERNAL_TENSOR_TEST(check, t1, t2, matcher) \
  check##_THAT((t1), ::executorch::runtime::testing::matcher(t2))
#define ET_INTERNAL_TENSOR_TEST_NOT(check, t1, t2, matcher) \
  check##_THAT((t1), ::testing::Not(::executorch::runtime::testing::matcher(t2)))

#define EXPECT_TENSOR_EQ(t1, t2) ET_INTERNAL_TENSOR_TEST(EXPECT, t1, t2, IsEqualTo)
#define EXPECT_TENSOR_NE(t1, t2) ET_INTERNAL_TENSOR_TEST_NOT(EXPECT, t1, t2, IsEqualTo)
#define ASSERT_TENSOR_EQ(t1, t2) ET_INTERNAL_TENSOR_TEST(ASSERT, t1, t2, IsEqualTo)
#define ASSERT_TENSOR_NE(t1, t2) ET_INTERNAL_TENSOR_TEST_NOT(ASSERT, t1, t2, IsEqualTo)

#define EXPECT_TENSOR_CLOSE(t1, t2) ET_INTERNAL_TENSOR_TEST(EXPECT, t1, t2, IsCloseTo)
#define EXPECT_TENSOR_NOT_CLOSE(t1, t2) ET_INTERNAL_TENSOR_TEST_NOT(EXPECT, t1, t2, IsCloseTo)
#define ASSERT_TENSOR_CLOSE(t1, t2) ET_INTERNAL_TENSOR_TEST(ASSERT, t1, t2, IsCloseTo)
#define ASSERT_TENSOR_NOT_CLOSE(t1, t2) ET_INTERNAL_TENSOR_TEST_NOT(ASSERT, t1, t2, IsCloseTo)

#define EXPECT_TENSOR_CLOSE_WITH_TOL(t1, t2, rtol, atol) \
  EXPECT_THAT((t1), ::executorch::runtime::testing::IsCloseTo(t2, rtol, atol))
#define EXPECT_TENSOR_NOT_CLOSE_WITH_TOL(t1, t2, rtol, atol) \
  EXPECT_THAT((t1), ::testing::Not(::executorch::runtime::testing::IsCloseTo(t2, rtol, atol)))
#define ASSERT_TENSOR_CLOSE_WITH_TOL(t1, t2, rtol, atol) \
  ASSERT_THAT((t1), ::executorch::runtime::testing::IsCloseTo(t2, rtol, atol))
#define ASSERT_TENSOR_NOT_CLOSE_WITH_TOL(t1, t2, rtol, atol) \
  ASSERT_THAT((t1), ::testing::Not(::executorch::runtime::testing::IsCloseTo(t2, rtol, atol)))

#define EXPECT_TENSOR_DATA_EQ(t1, t2) ET_INTERNAL_TENSOR_TEST(EXPECT, t1, t2, IsDataEqualTo)
#define EXPECT_TENSOR_DATA_NE(t1, t2) ET_INTERNAL_TENSOR_TEST_NOT(EXPECT, t1, t2, IsDataEqualTo)
#define ASSERT_TENSOR_DATA_EQ(t1, t2) ET_INTERNAL_TENSOR_TEST(ASSERT, t1, t2, IsDataEqualTo)
#define ASSERT_TENSOR_DATA_NE(t1, t2) ET_INTERNAL_TENSOR_TEST_NOT(ASSERT, t1, t2, IsDataEqualTo)
#define EXPECT_TENSOR_DATA_CLOSE(t1, t2) ET_INTERNAL_TENSOR_TEST(EXPECT, t1, t2, IsDataCloseTo)
#define EXPECT_TENSOR_DATA_NOT_CLOSE(t1, t2) \
  ET_INTERNAL_TENSOR_TEST_NOT(EXPECT, t1, t2, IsDataCloseTo)
#define ASSERT_TENSOR_DATA_CLOSE(t1, t2) ET_INTERNAL_TENSOR_TEST(ASSERT, t1, t2, IsDataCloseTo)
#define ASSERT_TENSOR_DATA_NOT_CLOSE(t1, t2) \
  ET_INTERNAL_TENSOR_TEST_NOT(ASSERT, t1, t2, IsDataCloseTo)
#define EXPECT_TENSOR_DATA_CLOSE_WITH_TOL(t1, t2, rtol, atol) \
  EXPECT_THAT((t1), ::executorch::runtime::testing::IsDataCloseTo(t2, rtol, atol))
#define ASSERT_TENSOR_DATA_CLOSE_WITH_TOL(t1, t2, rtol, atol) \
  ASSERT_THAT((t1), ::executorch::runtime::testing::IsDataCloseTo(t2, rtol, atol))

#define EXPECT_TENSOR_LISTS_EQ(t1, t2) ET_INTERNAL_TENSOR_TEST(EXPECT, t1, t2, IsListEqualTo)
#define EXPECT_TENSOR_LISTS_NE(t1, t2) ET_INTERNAL_TENSOR_TEST_NOT(EXPECT, t1, t2, IsListEqualTo)
#define ASSERT_TENSOR_LISTS_EQ(t1, t2) ET_INTERNAL_TENSOR_TEST(ASSERT, t1, t2, IsListEqualTo)
#define ASSERT_TENSOR_LISTS_NE(t1, t2) ET_INTERNAL_TENSOR_TEST_NOT(ASSERT, t1, t2, IsListEqualTo)
#define EXPECT_TENSOR_LISTS_CLOSE(t1, t2) ET_INTERNAL_TENSOR_TEST(EXPECT, t1, t2, IsListCloseTo)
#define EXPECT_TENSOR_LISTS_NOT_CLOSE(t1, t2) \
  ET_INTERNAL_TENSOR_TEST_NOT(EXPECT, t1, t2, IsListCloseTo)
#define ASSERT_TENSOR_LISTS_CLOSE(t1, t2) ET_INTERNAL_TENSOR_TEST(ASSERT, t1, t2, IsListCloseTo)
#define ASSERT_TENSOR_LISTS_NOT_CLOSE(t1, t2) \
  ET_INTERNAL_TENSOR_TEST_NOT(ASSERT, t1, t2, IsListCloseTo)

namespace torch {
namespace executor {
namespace testing {
using ::executorch::runtime::testing::IsCloseTo;
using ::executorch::runtime::testing::IsDataCloseTo;
using ::executorch::runtime::testing::IsDataEqualTo;
using ::executorch::runtime::testing::IsEqualTo;
using ::executorch::runtime::testing::IsListCloseTo;
using ::executorch::runtime::testing::IsListEqualTo;
using ::executorch::runtime::testing::tensor_data_is_close;
using ::executorch::runtime::testing::tensor_lists_are_close;
using ::executorch::runtime::testing::tensors_are_close;
}  // namespace testing
}  // namespace executor
}  // namespace torch
