#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>

using executorch::runtime::dim_order_to_stride;
using executorch::runtime::dim_order_to_stride_nocheck;
using executorch::runtime::Error;
using executorch::runtime::is_channels_last_dim_order;
using executorch::runtime::is_contiguous_dim_order;
using executorch::runtime::stride_to_dim_order;
using executorch::runtime::validate_dim_order;

namespace {

using Sizes = std::vector<int32_t>;
using Order = std::vector<uint8_t>;

Sizes strides_of(const Sizes& sizes, const Order& order) {
  Sizes strides(sizes.size());
  EXPECT_EQ(dim_order_to_stride(sizes.data(), order.data(), sizes.size(), strides.data()),
            Error::Ok);
  return strides;
}

Order order_of(const Sizes& strides) {
  Order order(strides.size());
  EXPECT_EQ(stride_to_dim_order(strides.data(), strides.size(), order.data()), Error::Ok);
  return order;
}

TEST(DimOrderTest, Strides) {
  EXPECT_EQ(strides_of({2, 3, 4}, {0, 1, 2}), (Sizes{12, 4, 1}));
  EXPECT_EQ(strides_of({2, 3, 4, 5}, {0, 2, 3, 1}), (Sizes{60, 1, 15, 3}));
  EXPECT_EQ(strides_of({5}, {0}), (Sizes{1}));
  EXPECT_EQ(strides_of({2, 0, 4}, {0, 1, 2}), (Sizes{4, 4, 1}));
  EXPECT_EQ(strides_of({0, 0}, {1, 0}), (Sizes{1, 1}));
  EXPECT_EQ((dim_order_to_stride<int32_t, uint8_t, int32_t>(nullptr, nullptr, 0, nullptr)),
            Error::Ok);
}

TEST(DimOrderTest, StridesWithoutChecksAgree) {
  const Sizes sizes = {2, 3, 0, 5};
  Order order = {0, 1, 2, 3};
  do {
    Sizes strides(4);
    dim_order_to_stride_nocheck(sizes.data(), order.data(), 4, strides.data());
    EXPECT_EQ(strides, strides_of(sizes, order));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(DimOrderTest, EveryOrderOfRankFiveGoesThereAndBack) {
  const Sizes sizes = {2, 3, 4, 5, 6};
  Order order = {0, 1, 2, 3, 4};
  do {
    EXPECT_EQ(order_of(strides_of(sizes, order)), order);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(DimOrderTest, EqualStridesKeepTheirPlace) {
  EXPECT_EQ(order_of({1, 1, 1}), (Order{0, 1, 2}));
  EXPECT_EQ(order_of({4, 4, 1}), (Order{0, 1, 2}));
  EXPECT_EQ(order_of({1, 4, 4}), (Order{1, 2, 0}));
}

TEST(DimOrderTest, BadOrdersAreRefused) {
  const Sizes sizes = {2, 3};
  Sizes strides = {7, 7};
  for (const Order& order : {Order{0, 0}, Order{1, 1}, Order{0, 2}, Order{255, 0}}) {
    EXPECT_FALSE(validate_dim_order(order.data(), 2));
    EXPECT_EQ(dim_order_to_stride(sizes.data(), order.data(), 2, strides.data()),
              Error::InvalidArgument);
  }
  EXPECT_EQ(strides, (Sizes{7, 7}));
  const Order long_order(17, 0);
  EXPECT_FALSE(validate_dim_order(long_order.data(), 17));
  Order full(16);
  std::iota(full.begin(), full.end(), 0);
  EXPECT_TRUE(validate_dim_order(full.data(), 16));
  EXPECT_TRUE(validate_dim_order<uint8_t>(nullptr, 0));
}

TEST(DimOrderTest, BadSizesAreRefused) {
  const Order order = {0, 1, 2};
  Sizes strides(3);
  const Sizes negative = {1, -1, 1};
  const Sizes negative_outer = {-1, 1, 1};
  const Sizes large = {1, 65536, 65536};
  const Sizes just_fits = {7, 1, INT32_MAX};
  const auto compute = [&](const Sizes& sizes) {
    return dim_order_to_stride(sizes.data(), order.data(), 3, strides.data());
  };
  EXPECT_EQ(compute(negative), Error::InvalidArgument);
  EXPECT_EQ(compute(negative_outer), Error::InvalidArgument);
  EXPECT_EQ(compute(large), Error::InvalidArgument);
  EXPECT_EQ(compute(just_fits), Error::Ok);
  EXPECT_EQ((dim_order_to_stride<int32_t, uint8_t, int32_t>(nullptr, order.data(), 3, nullptr)),
            Error::InvalidArgument);
}

TEST(DimOrderTest, StridesThatAreNoOrderAreRefused) {
  Order order(2);
  const Sizes zero = {0, 1};
  const Sizes negative = {-4, 1};
  EXPECT_EQ(stride_to_dim_order(zero.data(), 2, order.data()), Error::InvalidArgument);
  EXPECT_EQ(stride_to_dim_order(negative.data(), 2, order.data()), Error::InvalidArgument);
  EXPECT_EQ((stride_to_dim_order<int32_t, uint8_t>(nullptr, 2, order.data())),
            Error::InvalidArgument);
  const Sizes long_strides(17, 1);
  Order long_order(17);
  EXPECT_EQ(stride_to_dim_order(long_strides.data(), 17, long_order.data()),
            Error::InvalidArgument);
}

TEST(DimOrderTest, KnownFormats) {
  const Order contiguous = {0, 1, 2, 3};
  const Order nhwc = {0, 2, 3, 1};
  const Order ndhwc = {0, 2, 3, 4, 1};
  EXPECT_TRUE(is_contiguous_dim_order(contiguous.data(), 4));
  EXPECT_FALSE(is_contiguous_dim_order(nhwc.data(), 4));
  EXPECT_TRUE(is_channels_last_dim_order(nhwc.data(), 4));
  EXPECT_TRUE(is_channels_last_dim_order(ndhwc.data(), 5));
  EXPECT_FALSE(is_channels_last_dim_order(contiguous.data(), 4));
  EXPECT_FALSE(is_channels_last_dim_order(Order{0, 2, 1}.data(), 3));
  EXPECT_TRUE(is_contiguous_dim_order<uint8_t>(nullptr, 0));
  EXPECT_FALSE(is_channels_last_dim_order<uint8_t>(nullptr, 0));
}

}  // namespace
