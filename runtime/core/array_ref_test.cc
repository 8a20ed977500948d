#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/span.h>

using executorch::runtime::ArrayRef;
using executorch::runtime::makeArrayRef;
using executorch::runtime::Span;

namespace {

int64_t sum(ArrayRef<int64_t> values) {
  int64_t total = 0;
  for (const int64_t value : values) {
    total += value;
  }
  return total;
}

int64_t first(Span<const int64_t> values) { return values[0]; }

TEST(ArrayRefTest, ViewsEverythingContiguous) {
  const std::vector<int64_t> vector = {1, 2, 3};
  std::array<int64_t, 2> array = {4, 5};
  const int64_t c_array[] = {6, 7};
  int64_t one = 8;
  EXPECT_EQ(sum(vector), 6);
  EXPECT_EQ(sum(array), 9);
  EXPECT_EQ(sum(c_array), 13);
  EXPECT_EQ(sum(one), 8);
  EXPECT_EQ(sum({9, 10}), 19);
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({vector.data(), 2}), 3);
  EXPECT_EQ(sum({vector.data(), vector.data() + 1}), 1);
  EXPECT_EQ(sum(Span<int64_t>(array.data(), 1)), 4);
  EXPECT_EQ(sum(makeArrayRef(c_array)), 13);
}

TEST(ArrayRefTest, DefaultIsEmpty) {
  constexpr ArrayRef<int> empty;
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.size(), 0u);
  EXPECT_EQ(empty.data(), nullptr);
  EXPECT_EQ(empty.begin(), empty.end());
  EXPECT_TRUE(empty == ArrayRef<int>());
}

TEST(ArrayRefTest, ElementsAndSlices) {
  const int values[] = {1, 2, 3, 4};
  const ArrayRef<int> view(values);
  EXPECT_EQ(view.front(), 1);
  EXPECT_EQ(view.back(), 4);
  EXPECT_EQ(view[2], 3);
  EXPECT_EQ(view.at(3), 4);
  EXPECT_EQ(view.slice(1), ArrayRef<int>({2, 3, 4}));
  EXPECT_EQ(view.slice(1, 2), ArrayRef<int>({2, 3}));
  EXPECT_TRUE(view.slice(4).empty());
  EXPECT_EQ(*view.rbegin(), 4);
  EXPECT_TRUE(view != view.slice(1));
}

TEST(ArrayRefTest, OutOfRangeAborts) {
  const int values[] = {1, 2};
  const ArrayRef<int> view(values);
  EXPECT_DEATH((void)view.at(2), "index 2");
  EXPECT_DEATH((void)view.slice(3), "");
  EXPECT_DEATH((void)view.slice(1, 2), "");
  EXPECT_DEATH((void)view.slice(1, SIZE_MAX), "");
  EXPECT_DEATH((void)ArrayRef<int>().front(), "empty");
  EXPECT_DEATH((void)ArrayRef<int>().back(), "empty");
}

TEST(ArrayRefTest, TemporariesCannotBeKept) {
  static_assert(!std::is_assignable<ArrayRef<int>&, int>::value, "");
  static_assert(!std::is_assignable<ArrayRef<int>&, std::initializer_list<int>>::value, "");
  static_assert(std::is_trivially_copyable<ArrayRef<int>>::value, "passed in registers");
}

TEST(SpanTest, WritesThrough) {
  std::vector<int> vector = {1, 2, 3};
  Span<int> span(vector);
  span[1] = 20;
  *span.begin() = 10;
  EXPECT_EQ(vector, (std::vector<int>{10, 20, 3}));
  EXPECT_EQ(span.size(), 3u);
  EXPECT_EQ(span.end() - span.begin(), 3);
  int array[2] = {1, 2};
  EXPECT_EQ(Span<int>(array).size(), 2u);
  EXPECT_EQ(Span<int>(array, array + 1).size(), 1u);
  EXPECT_TRUE(Span<int>().empty());
}

TEST(SpanTest, ConvertsToConstOnly) {
  int64_t values[] = {5, 6};
  EXPECT_EQ(first(Span<int64_t>(values)), 5);
  EXPECT_EQ(first(ArrayRef<int64_t>(values)), 5);
  EXPECT_EQ(first(std::vector<int64_t>{7}), 7);
  static_assert(!std::is_convertible<Span<const int>, Span<int>>::value, "");
  static_assert(!std::is_convertible<const std::vector<int>&, Span<int>>::value, "");
  static_assert(!std::is_convertible<Span<int>, Span<const int64_t>>::value, "");
}

#ifndef NDEBUG
TEST(SpanTest, DebugBuildsCheckIndices) {
  int values[] = {1};
  EXPECT_DEATH((void)Span<int>(values)[1], "");
  EXPECT_DEATH((void)ArrayRef<int>(values)[1], "");
}
#endif

}  // namespace
