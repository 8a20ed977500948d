#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <executorch/backends/vulkan/runtime/testing/runner_for_tests.h>

// Elements that go to places which other elements name, beside the same in double precision.

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

using runtime::Error;
using testing::Array;
using testing::Runner;
using testing::Shape;
using testing::some;
using testing::zeros;

using PlacesTest = testing::FloatsTest;

INSTANTIATE_TEST_SUITE_P(, PlacesTest, testing::floats(), testing::name_of_float);

/// An output that has the elements of `x` until a call writes into it.
int32_t copied(Runner& runner, const Array& x) {
  const int32_t made = runner.out(x.sizes);
  runner.graph.call("aten.clone.default", {runner.in(x), runner.graph.none(), made});
  return made;
}

int32_t numbers(Runner& runner, const Array& array) {
  return runner.in(array, DType::Int32, DType::Int64);
}

TEST_P(PlacesTest, Scatter) {
  const Array y = some({3, 5, 3}, -1, 1);
  const Array x = some({3, 300, 3}, -1, 1, 2);
  // Of two of three planes; so many that all invocations of a group meet at a few places.
  Array many = zeros({2, 300, 3});
  for (int64_t i = 0; i < 1800; ++i) {
    many[i] = static_cast<double>(i * 7 % 11 % 5);
  }
  // Behind the end, nothing is written.
  const Array few = {{1, 2, 3}, {4, 0, 2, 1, 5, 0}};
  Runner runner(GetParam());
  const int32_t from = runner.in(x);
  const int32_t dim = runner.graph.integer(1);
  const int32_t added = copied(runner, y);
  runner.graph.call("aten.scatter_add.default", {added, dim, numbers(runner, many), from, added});
  const int32_t put = copied(runner, y);
  runner.graph.call("aten.scatter.src", {put, dim, numbers(runner, few), from, put});
  Array sums = y;
  for (int64_t i = 0; i < 1800; ++i) {
    sums[i / 900 * 15 + static_cast<int64_t>(many[i]) * 3 + i % 3] += x[i];
  }
  Array placed = y;
  for (int64_t i = 0; i < 6; ++i) {
    if (few[i] < 5) {
      placed[static_cast<int64_t>(few[i]) * 3 + i % 3] = x[i];
    }
  }
  // A half is rounded each time that something is added to it.
  ASSERT_EQ(runner.load(), Error::Ok);
  for (int run = 0; run < 3; ++run) {
    ASSERT_EQ(runner.execute(), Error::Ok);
    runner.compare(sums, runner.result(0), GetParam() == DType::Half ? 5e-2 : 1e-4);
    runner.compare(placed, runner.result(1));
  }
}

TEST_P(PlacesTest, SlicesAddUp) {
  const Array y = some({2, 4, 3}, -1, 1);
  const Array x = some({2, 5, 3}, -1, 1, 2);
  const Array places = {{5}, {3, 0, 3, -1, 0}};
  Runner runner(GetParam());
  const int32_t made = copied(runner, y);
  const int32_t given = runner.graph.list({runner.graph.none(), numbers(runner, places)});
  runner.graph.call("aten.index_put.default",
                    {made, given, runner.in(x), runner.graph.boolean(true), made});
  Array sums = y;
  for (int64_t i = 0; i < 30; ++i) {
    const int64_t place = static_cast<int64_t>(places[i / 3 % 5]);
    sums[i / 15 * 12 + (place < 0 ? place + 4 : place) * 3 + i % 3] += x[i];
  }
  runner.check(sums);
}

TEST_P(PlacesTest, IntegersAddUpExactly) {
  Runner runner(GetParam());
  const Array x = {{4}, {16777217, 1, -3, 5}};
  const int32_t made = runner.out({2}, DType::Int32, DType::Int32);
  const int32_t given = runner.in({{2}, {0, 7}}, DType::Int32, DType::Int32);
  runner.graph.call("aten.clone.default", {given, runner.graph.none(), made});
  runner.graph.call("aten.scatter_add.default",
                    {made, runner.graph.integer(0), numbers(runner, {{4}, {0, 0, 1, 1}}),
                     runner.in(x, DType::Int32, DType::Int32), made});
  runner.check({{2}, {16777218, 9}}, 1e-9);
}

TEST_P(PlacesTest, CountsOfRanges) {
  const Array x = {{9}, {-2, -1.5, -0.25, 0, 0.5, 1.75, 2, 2.25, std::nan("")}};
  Runner runner(GetParam());
  runner.graph.call("aten.histc.default",
                    {runner.in(x), runner.graph.integer(4), runner.graph.number(-2),
                     runner.graph.number(2), runner.out({4})});
  runner.check({{4}, {2, 1, 2, 2}});
}

TEST_P(PlacesTest, CountsOfMoreRangesThanAGroupHasCountersFor) {
  const Array x = some({3000}, -1, 1);
  constexpr int64_t kRanges = 1100;
  Array expected = zeros({kRanges});
  for (int64_t i = 0; i < 3000; ++i) {
    const float at = (static_cast<float>(x[i]) + 1.0f) / 2.0f * static_cast<float>(kRanges);
    expected[std::min(static_cast<int64_t>(at), kRanges - 1)] += 1;
  }
  Runner runner(GetParam());
  runner.graph.call("aten.histc.default",
                    {runner.in(x), runner.graph.integer(kRanges), runner.graph.number(-1),
                     runner.graph.number(1), runner.out({kRanges})});
  runner.check(expected);
}

TEST_P(PlacesTest, LimitsOfRangesAreFloats) {
  const auto load = [](double low, double high) {
    Runner runner(GetParam());
    runner.graph.call("aten.histc.default",
                      {runner.in(some({8}, -1, 1)), runner.graph.integer(4),
                       runner.graph.number(low), runner.graph.number(high), runner.out({4})});
    return runner.load();
  };
  EXPECT_EQ(load(-1, 1), Error::Ok);
  EXPECT_EQ(load(1, 1.00000001), Error::NotSupported) << "one float";
  EXPECT_EQ(load(0, 1e300), Error::NotSupported) << "no float";
  EXPECT_EQ(load(-3e38, 3e38), Error::NotSupported) << "their difference is no float";
  EXPECT_EQ(load(std::nan(""), 1), Error::NotSupported);
}

TEST_P(PlacesTest, GroupsOfRowsHaveMatricesOfTheirOwn) {
  const Array x = some({7, 6}, -1, 1);
  const Array w = some({3, 6, 5}, -1, 1, 2);
  // The second group is empty, the last two rows belong to none.
  const Array ends = {{3}, {2, 2, 5}};
  Runner runner(GetParam());
  runner.graph.call("executorch.grouped_mm.default",
                    {runner.in(x), runner.in(w), numbers(runner, ends), runner.out({7, 5})});
  Array expected = zeros({7, 5});
  for (int64_t i = 0; i < 25; ++i) {
    const int64_t group = i / 5 < 2 ? 0 : 2;
    for (int64_t k = 0; k < 6; ++k) {
      expected[i] += x[i / 5 * 6 + k] * w[(group * 6 + k) * 5 + i % 5];
    }
  }
  runner.check(expected);
}

TEST_P(PlacesTest, RunningSumsOfFloatsThatAreMadeIntegers) {
  Runner runner(GetParam());
  runner.graph.call("aten.cumsum.default",
                    {runner.in({{5}, {1.75, -1.75, 3, 0.5, 2}}), runner.graph.integer(0),
                     runner.graph.none(), runner.out({5}, DType::Int32, DType::Int32)});
  runner.check({{5}, {1, 0, 3, 3, 5}}, 1e-9);
}

TEST_P(PlacesTest, WhatDoesNotFitIsRefused) {
  const auto load = [](const Shape& index, bool is_same) {
    Runner runner(GetParam());
    const int32_t made = copied(runner, some({2, 3}));
    const int32_t other = is_same ? made : runner.out({2, 3});
    runner.graph.call("aten.scatter_add.default",
                      {made, runner.graph.integer(1), numbers(runner, zeros(index)),
                       runner.in(some({2, 4})), other});
    return runner.load();
  };
  EXPECT_EQ(load({2, 4}, true), Error::Ok);
  EXPECT_EQ(load({2, 5}, true), Error::NotSupported) << "more numbers than elements";
  EXPECT_EQ(load({3, 4}, true), Error::NotSupported) << "more lines than there are";
  EXPECT_EQ(load({4}, true), Error::NotSupported) << "another number of dimensions";
  EXPECT_EQ(load({2, 4}, false), Error::NotSupported) << "it writes elsewhere";
}

}  // namespace
}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
