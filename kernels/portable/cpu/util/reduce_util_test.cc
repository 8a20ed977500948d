#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/portable/cpu/util/reduce_util.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/platform/runtime.h>

namespace torch::executor {
namespace {

using executorch::aten::TensorShapeDynamism;
using executorch::runtime::testing::TensorFactory;
using DimList = optional<ArrayRef<int64_t>>;
using Sizes = std::vector<size_t>;

class ReduceUtilTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }

  Sizes elements_of(const Tensor& in, DimList dims, size_t out_ix, int64_t start = 0,
                    int64_t end = -1) {
    Sizes found;
    apply_over_dim_list([&](const size_t in_ix) { found.push_back(in_ix); }, in, dims, out_ix,
                        start, end);
    return found;
  }

  TensorFactory<ScalarType::Float> tf;
  TensorFactory<ScalarType::Long> tfl;
};

TEST_F(ReduceUtilTest, CountsElements) {
  const Tensor in = tf.zeros({2, 3, 4});
  const int64_t dims[] = {0, -1};
  EXPECT_EQ(get_reduced_dim_product(in, DimList({dims, 2})), 8u);
  EXPECT_EQ(get_out_numel(in, DimList({dims, 2})), 3u);
  EXPECT_EQ(get_reduced_dim_product(in, optional<int64_t>(1)), 3u);
  EXPECT_EQ(get_out_numel(in, optional<int64_t>(1)), 8u);
  EXPECT_EQ(get_reduced_dim_product(in, DimList()), 24u);
  EXPECT_EQ(get_out_numel(in, optional<int64_t>()), 1u);
  EXPECT_EQ(get_out_numel(tf.zeros({}), optional<int64_t>(0)), 1u);
  EXPECT_EQ(get_reduced_dim_product(tf.zeros({}), optional<int64_t>(-1)), 1u);
}

TEST_F(ReduceUtilTest, FindsTheFirstElement) {
  const Tensor in = tf.zeros({2, 3, 4});
  EXPECT_EQ(get_init_index(in, optional<int64_t>(1), 5), 13u);
  EXPECT_EQ(get_init_index(in, optional<int64_t>(), 0), 0u);
  const int64_t dims[] = {0, 2};
  EXPECT_EQ(get_init_index(in, DimList({dims, 2}), 2), 8u);
}

TEST_F(ReduceUtilTest, VisitsTheElementsOfSeveralDimensions) {
  const Tensor in = tf.zeros({2, 3, 4});
  const int64_t outer[] = {0, 2};
  EXPECT_EQ(elements_of(in, DimList({outer, 2}), 1), (Sizes{4, 5, 6, 7, 16, 17, 18, 19}));
  EXPECT_EQ(elements_of(in, DimList({outer, 2}), 1, 3, 4), (Sizes{7, 16}));
  EXPECT_EQ(elements_of(in, DimList({outer, 2}), 1, 6), (Sizes{18, 19}));
  EXPECT_EQ(elements_of(in, DimList({outer, 2}), 1, 0, -7), (Sizes{4, 5}));
  EXPECT_EQ(elements_of(in, DimList(), 0).size(), 24u);
  EXPECT_EQ(elements_of(in, DimList(ArrayRef<int64_t>()), 0).size(), 24u);
  const int64_t first[] = {0};
  EXPECT_EQ(elements_of(in, DimList({first, 1}), 11), (Sizes{11, 23}));
  EXPECT_EQ(elements_of(tf.zeros({0, 2}), DimList({first, 1}), 1), Sizes{});
  EXPECT_EQ(elements_of(tf.zeros({}), DimList({first, 1}), 0), Sizes{0});
}

TEST_F(ReduceUtilTest, FollowsStrides) {
  const Tensor in = tf.zeros_channels_last({1, 2, 2, 2});
  const int64_t channels[] = {1};
  EXPECT_EQ(elements_of(in, DimList({channels, 1}), 0), (Sizes{0, 1}));
  EXPECT_EQ(elements_of(in, DimList({channels, 1}), 3), (Sizes{6, 7}));
}

TEST_F(ReduceUtilTest, VisitsALineWithItsIndex) {
  const Tensor in = tf.zeros({2, 3, 4});
  std::vector<std::pair<size_t, size_t>> found;
  const auto add = [&](const size_t in_ix, const size_t ix) { found.emplace_back(in_ix, ix); };
  apply_over_dim(add, in, 1, 5);
  using Found = std::vector<std::pair<size_t, size_t>>;
  EXPECT_EQ(found, (Found{{13, 0}, {17, 1}, {21, 2}}));
  found.clear();
  apply_over_dim(add, in, -2, 5, 1, 1);
  EXPECT_EQ(found, (Found{{17, 1}}));
}

TEST_F(ReduceUtilTest, VisitsAllLines) {
  std::vector<Sizes> found;
  const auto add = [&](const size_t size, const size_t stride, const size_t base) {
    found.push_back({size, stride, base});
  };
  apply_over_dim(add, tf.zeros({2, 3, 2}), 1);
  EXPECT_EQ(found, (std::vector<Sizes>{{3, 2, 0}, {3, 2, 1}, {3, 2, 6}, {3, 2, 7}}));
  found.clear();
  apply_over_dim(add, tf.zeros({2, 3}), optional<int64_t>());
  EXPECT_EQ(found, (std::vector<Sizes>{{6, 1, 0}}));
}

TEST_F(ReduceUtilTest, Folds) {
  const Tensor in = tf.make({2, 3}, {3, 9, 4, 8, 1, 7});
  const auto [value, index] = reduce_over_dim<float>(
      [](float v, long ix, float best, long best_ix) {
        return v > best ? std::tuple<float, long>{v, ix} : std::tuple<float, long>{best, best_ix};
      },
      in, 1, 1);
  EXPECT_EQ(value, 8);
  EXPECT_EQ(index, 0);
  const int64_t dims[] = {0, 1};
  EXPECT_EQ((map_reduce_over_dim_list<float, double>(
                [](float v) { return static_cast<double>(v) * 2; },
                [](double v, double sum) { return v + sum; }, in, DimList({dims, 2}), 0)),
            64);
  const ReduceOverDimListPlan plan(in, DimList({dims, 1}));
  EXPECT_EQ(plan.execute<float>([](float v, float sum) { return v + sum; }, 1), 10);
}

TEST_F(ReduceUtilTest, ChecksDimensions) {
  const Tensor in = tf.zeros({2, 3});
  const int64_t twice[] = {0, -2};
  const int64_t beyond[] = {2};
  const int64_t zero[] = {0};
  EXPECT_FALSE(check_dim_list_is_valid(in, DimList({twice, 2})));
  EXPECT_FALSE(check_dim_list_is_valid(in, DimList({beyond, 1})));
  EXPECT_TRUE(check_dim_list_is_valid(in, DimList({zero, 1})));
  EXPECT_TRUE(check_dim_list_is_valid(tf.zeros({}), DimList({zero, 1})));
  EXPECT_DEATH_IF_SUPPORTED(elements_of(in, DimList({beyond, 1}), 0), "");
  EXPECT_DEATH_IF_SUPPORTED(elements_of(in, DimList({zero, 1}), 3), "");
}

TEST_F(ReduceUtilTest, ResizesOutputs) {
  const Tensor in = tf.zeros({2, 3, 4});
  Tensor out = tf.zeros({9, 9}, TensorShapeDynamism::DYNAMIC_BOUND);
  ASSERT_EQ(resize_reduction_out(in, optional<int64_t>(1), false, out), Error::Ok);
  EXPECT_TENSOR_EQ(out, tf.zeros({2, 4}));
  Tensor kept = tf.zeros({9, 9, 9}, TensorShapeDynamism::DYNAMIC_BOUND);
  const int64_t dims[] = {0, 2};
  ASSERT_EQ(resize_reduction_out(in, DimList({dims, 2}), true, kept), Error::Ok);
  EXPECT_TENSOR_EQ(kept, tf.zeros({1, 3, 1}));
}

TEST_F(ReduceUtilTest, ChecksArguments) {
  const Tensor in = tf.zeros({2, 3});
  Tensor out = tf.zeros({2});
  Tensor indices = tfl.zeros({2});
  EXPECT_TRUE(check_reduction_args(in, DimList(), false, ScalarType::Float, out));
  EXPECT_FALSE(check_reduction_args(in, DimList(), false, ScalarType::Double, out));
  EXPECT_TRUE(check_mean_dim_args(in, DimList(), false, {}, out));
  EXPECT_FALSE(check_mean_dim_args(tfl.zeros({2}), DimList(), false, {}, indices));
  EXPECT_TRUE(check_argmin_argmax_args(in, 1, false, indices));
  EXPECT_FALSE(check_argmin_argmax_args(in, 2, false, indices));
  EXPECT_FALSE(check_argmin_argmax_args(tf.zeros({2, 0}), 1, false, indices));
  EXPECT_FALSE(check_argmin_argmax_args(in, 1, false, out));
  EXPECT_TRUE(check_min_max_args(in, 1, false, out, indices));
  EXPECT_FALSE(check_min_max_args(in, 1, false, out, out));
  EXPECT_TRUE(check_prod_out_args(tfl.zeros({2}), {}, indices));
  EXPECT_FALSE(check_prod_out_args(tfl.zeros({2}), {}, out));
}

TEST_F(ReduceUtilTest, PartsMakeUpTheOutput) {
  const Tensor in = tf.zeros({5, 3});
  const Tensor out = tf.zeros({5});
  int64_t covered = 0;
  EXPECT_TRUE(parallel_for_each_reduce_over_dim_output_index(
      in, 1, out, [&](const int64_t begin, const int64_t end) { covered += end - begin; }));
  EXPECT_EQ(covered, 5);
}

}  // namespace
}  // namespace torch::executor
