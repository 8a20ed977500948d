#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/portable/cpu/util/broadcast_util.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/platform/runtime.h>

namespace torch::executor {
namespace {

using executorch::aten::TensorShapeDynamism;
using executorch::runtime::testing::TensorFactory;

class BroadcastUtilTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }
  TensorFactory<ScalarType::Int> tf;
};

/// The positions of a range, one array an element.
template <typename Range>
std::vector<std::vector<ssize_t>> positions(const Range& range) {
  std::vector<std::vector<ssize_t>> all;
  for (const auto& at : range) {
    all.emplace_back(at.begin(), at.end());
  }
  return all;
}

TEST_F(BroadcastUtilTest, KnowsWhichShapesGoTogether) {
  const Tensor a = tf.zeros({2, 1, 3});
  EXPECT_TRUE(tensor_is_broadcastable_to(tf.zeros({3}), a));
  EXPECT_TRUE(tensor_is_broadcastable_to(tf.zeros({}), a));
  EXPECT_TRUE(tensor_is_broadcastable_to(a, tf.zeros({2, 4, 3})));
  EXPECT_FALSE(tensor_is_broadcastable_to(tf.zeros({4, 3}), a));
  EXPECT_FALSE(tensor_is_broadcastable_to(a, tf.zeros({3})));
  EXPECT_TRUE(tensors_are_broadcastable_between(tf.zeros({4, 1}), a));
  EXPECT_FALSE(tensors_are_broadcastable_between(tf.zeros({2}), a));
  EXPECT_TRUE(tensor_is_broadcastable_to(tf.zeros({1}), tf.zeros({0})));
  EXPECT_FALSE(tensor_is_broadcastable_to(tf.zeros({2}), tf.zeros({0})));
}

TEST_F(BroadcastUtilTest, GivesTheCommonShape) {
  SizesType sizes[kTensorDimensionLimit];
  size_t rank = 0;
  ASSERT_EQ(get_broadcast_target_size(tf.zeros({5, 1, 3}), tf.zeros({4, 1}), sizes,
                                      kTensorDimensionLimit, &rank),
            Error::Ok);
  EXPECT_EQ(std::vector<SizesType>(sizes, sizes + rank), (std::vector<SizesType>{5, 4, 3}));
  EXPECT_EQ(
      get_broadcast_target_size(tf.zeros({2}), tf.zeros({3}), sizes, kTensorDimensionLimit, &rank),
      Error::InvalidArgument);
  EXPECT_EQ(get_broadcast_target_size(tf.zeros({2, 2}), tf.zeros({2}), sizes, 1, &rank),
            Error::InvalidArgument);
}

TEST_F(BroadcastUtilTest, ResizesOutputs) {
  Tensor out = tf.zeros({9, 9, 9}, TensorShapeDynamism::DYNAMIC_BOUND);
  ASSERT_EQ(
      resize_to_broadcast_target_size(tf.zeros({2, 1, 1}), tf.zeros({3, 1}), tf.zeros({4}), out),
      Error::Ok);
  EXPECT_TENSOR_EQ(out, tf.zeros({2, 3, 4}));
  EXPECT_EQ(
      resize_to_broadcast_target_size(tf.zeros({2, 1, 1}), tf.zeros({3, 5}), tf.zeros({4}), out),
      Error::InvalidArgument);
  Tensor fixed = tf.zeros({1});
  EXPECT_NE(resize_to_broadcast_target_size(tf.zeros({2}), tf.zeros({2}), fixed), Error::Ok);
}

TEST_F(BroadcastUtilTest, CopiesAnExpandedTensor) {
  const Tensor expanded = broadcast_tensor(tf.make({2, 1}, {3, 7}), tf.zeros({2, 2, 3}));
  EXPECT_TENSOR_EQ(expanded, tf.make({2, 2, 3}, {3, 3, 3, 7, 7, 7, 3, 3, 3, 7, 7, 7}));
  free_broadcast_tensor(expanded);
  const Tensor same = broadcast_tensor(tf.make({}, {5}), tf.zeros({}));
  EXPECT_TENSOR_EQ(same, tf.make({}, {5}));
  free_broadcast_tensor(same);
}

TEST_F(BroadcastUtilTest, FindsElementsByIndex) {
  size_t index[3];
  delinearize_index(17, tf.zeros({2, 3, 4}), index, 3);
  EXPECT_EQ(std::vector<size_t>(index, index + 3), (std::vector<size_t>{1, 1, 1}));
  const Tensor from = tf.zeros({3, 1});
  EXPECT_EQ(linearize_access_indexes({index, 3}, 3, from), 1u);
  EXPECT_EQ(linearize_access_indexes({index, 3}, 3, tf.zeros({4})), 1u);
  EXPECT_EQ(linearize_access_indexes({index, 3}, 3, tf.zeros({2, 3, 4})), 17u);
  EXPECT_EQ(linearize_access_indexes({index, 3}, 3, tf.zeros({})), 0u);
}

TEST_F(BroadcastUtilTest, AppliesFunctions) {
  TensorFactory<ScalarType::Float> tff;
  TensorFactory<ScalarType::Double> tfd;
  Tensor out = tfd.zeros({2, 3});
  const Tensor a = tf.make({2, 1}, {1, 2});
  const Tensor b = tff.make({3}, {0.5f, 0.25f, 0});
  apply_binary_elementwise_fn<int32_t, float, double>(
      [](int32_t x, float y) { return static_cast<double>(x) + static_cast<double>(y); }, a, b,
      out);
  EXPECT_TENSOR_EQ(out, tfd.make({2, 3}, {1.5, 1.25, 1, 2.5, 2.25, 2}));
  apply_ternary_elementwise_fn<int32_t, float, double, double>(
      [](int32_t x, float y, double z) { return x * z + static_cast<double>(y); }, a, b,
      tfd.make({}, {10}), out);
  EXPECT_TENSOR_EQ(out, tfd.make({2, 3}, {10.5, 10.25, 10, 20.5, 20.25, 20}));
}

TEST_F(BroadcastUtilTest, ARangeOfNothingIsEmpty) {
  const Tensor empty = tf.zeros({2, 0});
  const BroadcastIndexesRange<1> range(empty, empty);
  EXPECT_EQ(range.begin(), range.end());
}

TEST_F(BroadcastUtilTest, ARangeOfOneElement) {
  const Tensor one = tf.zeros({});
  using Positions = std::vector<std::vector<ssize_t>>;
  EXPECT_EQ(positions(BroadcastIndexesRange<2>(one, one, one)), (Positions{{0, 0, 0}}));
}

TEST_F(BroadcastUtilTest, ARangeRepeatsWhatIsBroadcast) {
  const Tensor out = tf.zeros({2, 2, 2});
  const Tensor row = tf.zeros({2});
  const Tensor column = tf.zeros({2, 1});
  const Tensor outer = tf.zeros({2, 1, 1});
  using Positions = std::vector<std::vector<ssize_t>>;
  EXPECT_EQ(positions(BroadcastIndexesRange<3>(out, row, column, outer)),
            (Positions{{0, 0, 0, 0},
                       {1, 1, 0, 0},
                       {2, 0, 1, 0},
                       {3, 1, 1, 0},
                       {4, 0, 0, 1},
                       {5, 1, 0, 1},
                       {6, 0, 1, 1},
                       {7, 1, 1, 1}}));
}

TEST_F(BroadcastUtilTest, ARangeFollowsMemory) {
  const Tensor out = tf.zeros_channels_last({1, 2, 1, 2});
  const Tensor in = tf.zeros({1, 2, 1, 2});
  using Positions = std::vector<std::vector<ssize_t>>;
  EXPECT_EQ(positions(BroadcastIndexesRange<1>(out, in)),
            (Positions{{0, 0}, {1, 2}, {2, 1}, {3, 3}}));
}

TEST_F(BroadcastUtilTest, ARangeCanBeEnteredAnywhere) {
  const Tensor out = tf.zeros({3, 4, 5});
  const Tensor column = tf.zeros({4, 1});
  const Tensor whole = tf.zeros({3, 4, 5});
  const BroadcastIndexesRange<2> range(out, column, whole);
  ssize_t steps = 0;
  for (auto at = range.begin(); at != range.end(); ++at, ++steps) {
    EXPECT_EQ(*(range.begin() + steps), *at);
    EXPECT_EQ((*at)[1], steps / 5 % 4);
    EXPECT_EQ(at - range.begin(), steps);
  }
  EXPECT_EQ(steps, 60);
  EXPECT_EQ(range.begin() + 60, range.end());
}

}  // namespace
}  // namespace torch::executor
