// The checks and sizes that custom kernels take from the families beside the elementwise ones.
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/portable/cpu/util/activation_ops_util.h>
#include <executorch/kernels/portable/cpu/util/advanced_index_util.h>
#include <executorch/kernels/portable/cpu/util/allocate_tensor_util.h>
#include <executorch/kernels/portable/cpu/util/copy_ops_util.h>
#include <executorch/kernels/portable/cpu/util/distance_util.h>
#include <executorch/kernels/portable/cpu/util/index_util.h>
#include <executorch/kernels/portable/cpu/util/kernel_ops_util.h>
#include <executorch/kernels/portable/cpu/util/matmul_ops_util.h>
#include <executorch/kernels/portable/cpu/util/normalization_ops_util.h>
#include <executorch/kernels/portable/cpu/util/padding_util.h>
#include <executorch/kernels/portable/cpu/util/repeat_util.h>
#include <executorch/kernels/portable/cpu/util/select_copy_util.h>
#include <executorch/kernels/portable/cpu/util/slice_util.h>
#include <executorch/kernels/portable/cpu/util/transpose_util.h>
#include <executorch/kernels/portable/cpu/util/upsample_util.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/platform/runtime.h>

namespace torch::executor {
namespace {

using executorch::aten::TensorShapeDynamism;
using executorch::runtime::testing::TensorFactory;
using Sizes = std::vector<SizesType>;
using Ints = std::vector<int64_t>;

/// The sizes that `fn(sizes, &rank)` writes.
template <typename Fn>
Sizes sizes_from(const Fn& fn) {
  std::array<SizesType, kTensorDimensionLimit> sizes{};
  size_t rank = 0;
  fn(sizes.data(), &rank);
  return Sizes(sizes.begin(), sizes.begin() + static_cast<ptrdiff_t>(rank));
}

IntArrayRef ref(const Ints& v) { return {v.data(), v.size()}; }

class CustomKernelsTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }
  TensorFactory<ScalarType::Float> tf;
  TensorFactory<ScalarType::Long> tfl;
  TensorFactory<ScalarType::Bool> tfb;
};

TEST_F(CustomKernelsTest, CatAndStack) {
  std::vector<Tensor> tensors = {tf.zeros({2, 3}), tf.zeros({0}), tf.zeros({2, 1})};
  const ArrayRef<Tensor> list(tensors.data(), tensors.size());
  Tensor out = tf.zeros({2, 4});
  EXPECT_TRUE(check_cat_args(list, -1, out));
  EXPECT_FALSE(check_cat_args(list, 0, out));
  EXPECT_EQ(sizes_from([&](auto* s, auto* n) { get_cat_out_target_size(list, -1, s, n); }),
            (Sizes{2, 4}));
  EXPECT_FALSE(check_stack_args(list, 0, out));
  const ArrayRef<Tensor> one(tensors.data(), 1);
  EXPECT_TRUE(check_stack_args(one, -1, out));
  EXPECT_EQ(sizes_from([&](auto* s, auto* n) { get_stack_out_target_size(one, -1, s, n); }),
            (Sizes{2, 3, 1}));
}

TEST_F(CustomKernelsTest, ViewsOfOneTensor) {
  const Tensor in = tf.zeros({2, 3, 4});
  Tensor out = tf.zeros({1});
  EXPECT_TRUE(check_permute_copy_args(in, ref({2, 0, -2}), out));
  EXPECT_FALSE(check_permute_copy_args(in, ref({2, 0, 2}), out));
  EXPECT_EQ(sizes_from([&](auto* s, auto* n) {
              get_permute_copy_out_target_size(in, ref({2, 0, -2}), s, n);
            }),
            (Sizes{4, 2, 3}));
  EXPECT_EQ(sizes_from([&](auto* s, auto* n) {
              get_expand_copy_out_target_size(tf.zeros({3, 1}).sizes(), ref({2, -1, 4}), s, n);
            }),
            (Sizes{2, 3, 4}));
  EXPECT_EQ(
      sizes_from([&](auto* s, auto* n) { get_diagonal_copy_out_target_size(in, 1, 0, 2, s, n); }),
      (Sizes{3, 2}));
  EXPECT_EQ(
      sizes_from([&](auto* s, auto* n) { get_unfold_copy_out_target_size(in, 2, 2, 2, s, n); }),
      (Sizes{2, 3, 2, 2}));
  EXPECT_EQ(sizes_from([&](auto* s, auto* n) {
              get_squeeze_copy_dims_out_target_size(tf.zeros({1, 3, 1}), ref({0, 1}), s, n);
            }),
            (Sizes{3, 1}));
  SizesType sizes[3];
  EXPECT_TRUE(get_view_copy_target_size(in, ref({4, -1, 2}), 3, sizes));
  EXPECT_EQ(sizes[1], 3);
  EXPECT_FALSE(get_view_copy_target_size(in, ref({5, -1, 2}), 3, sizes));
  EXPECT_FALSE(get_view_copy_target_size(in, ref({-1, -1, 2}), 3, sizes));
  EXPECT_TRUE(check_as_strided_copy_args(in, ref({2, 2}), ref({12, 11}), 0, out));
  EXPECT_FALSE(check_as_strided_copy_args(in, ref({2, 2}), ref({12, 11}), 1, out));
  std::vector<Tensor> halves = {tf.zeros({2, 2, 4}), tf.zeros({2, 1, 4})};
  EXPECT_TRUE(check_split_copy_args(in, 2, 1, {halves.data(), 2}));
  EXPECT_FALSE(check_split_copy_args(in, 1, 1, {halves.data(), 2}));
  EXPECT_TRUE(check_split_with_sizes_copy_args(in, ref({2, 1}), 1, {halves.data(), 2}));
  EXPECT_FALSE(check_split_with_sizes_copy_args(in, ref({2, 2}), 1, {halves.data(), 2}));
}

TEST_F(CustomKernelsTest, Copies) {
  Tensor out = tf.zeros({9}, TensorShapeDynamism::DYNAMIC_BOUND);
  const Tensor in = tf.make({2, 3}, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(select_copy_util(in, -1, -1, out), Error::Ok);
  EXPECT_TENSOR_EQ(out, tf.make({2}, {3, 6}));
  EXPECT_EQ(select_copy_util(in, 1, 3, out), Error::InvalidArgument);
  Tensor twice = tf.zeros({2, 2, 6});
  ASSERT_EQ(repeat_tensor(in, ref({2, 1, 2}), twice), Error::Ok);
  EXPECT_TENSOR_EQ(twice, tf.make({2, 2, 6}, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6,
                                              1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(repeat_tensor(in, ref({2}), twice), Error::InvalidArgument);
  Tensor transposed = tf.zeros({3, 2});
  transpose_tensors<float>(in, 0, -1, transposed);
  EXPECT_TENSOR_EQ(transposed, tf.make({3, 2}, {1, 4, 2, 5, 3, 6}));
  as_strided_copy<float>(in, ref({2, 2}), ref({1, 2}), 1, twice = tf.zeros({2, 2}));
  EXPECT_TENSOR_EQ(twice, tf.make({2, 2}, {2, 4, 3, 5}));
  Tensor whole = tfl.zeros({2, 3});
  _to_dim_order_copy_impl<float, int64_t>(in, whole);
  EXPECT_TENSOR_EQ(whole, tfl.make({2, 3}, {1, 2, 3, 4, 5, 6}));
}

TEST_F(CustomKernelsTest, Slices) {
  int64_t start = -3;
  int64_t end = 100;
  EXPECT_EQ(adjust_slice_indices(5, &start, &end, 2), 2);
  EXPECT_EQ(start, 2);
  EXPECT_EQ(end, 5);
  start = 4;
  end = 2;
  EXPECT_EQ(adjust_slice_indices(5, &start, &end, 1), 0);
  KernelRuntimeContext ctx;
  Tensor out = tf.zeros({2, 2});
  compute_slice(ctx, tf.make({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}), 1, 1, 2, 2, out);
  EXPECT_TENSOR_EQ(out, tf.make({2, 2}, {1, 3, 5, 7}));
  EXPECT_EQ(ctx.failure_state(), Error::Ok);
  compute_slice(ctx, tf.zeros({2, 3}), 1, 1, 2, 2, out);
  EXPECT_EQ(ctx.failure_state(), Error::InvalidArgument);
}

TEST_F(CustomKernelsTest, Indices) {
  const Tensor in = tf.zeros({3, 2});
  Tensor out = tf.zeros({2, 2});
  EXPECT_TRUE(check_gather_args(in, 0, tfl.make({1, 2}, {2, 0}), false, out));
  EXPECT_FALSE(check_gather_args(in, 0, tfl.make({1, 2}, {3, 0}), false, out));
  EXPECT_FALSE(check_scatter_add_args(in, 0, tfl.make({1, 2}, {-1, 0}), in, out));
  EXPECT_TRUE(check_index_select_args(in, 0, tfl.make({2}, {2, 2}), out));
  EXPECT_EQ(sizes_from([&](auto* s, auto* n) {
              get_index_select_out_target_size(in, 0, tfl.make({4}, {0, 0, 0, 0}), s, n);
            }),
            (Sizes{4, 2}));
  EXPECT_TRUE(check_select_scatter_args(in, tf.zeros({2}), 0, -1, out));
  EXPECT_FALSE(check_select_scatter_args(in, tf.zeros({3}), 0, -1, out));
  const optional<Tensor> list[] = {{}, tfl.make({2, 1}, {0, 1}), tfb.make({3}, {1, 0, 1})};
  const IndexList indices(list, 3);
  EXPECT_EQ(count_index_blocks(indices), 1u);
  EXPECT_EQ(get_num_indexed_dims(indices), 2u);
  EXPECT_EQ(get_num_leading_null_indices(indices), 1u);
  EXPECT_EQ(get_indices_broadcast_ndim(indices), 2u);
  const Tensor cube = tf.zeros({4, 2, 3, 5});
  EXPECT_EQ(sizes_from([&](auto* s, auto* n) {
              EXPECT_TRUE(get_index_out_target_size(cube, indices, true, s, n));
            }),
            (Sizes{4, 2, 2, 5}));
  EXPECT_EQ(sizes_from([&](auto* s, auto* n) {
              EXPECT_TRUE(get_index_out_target_size(cube, indices, false, s, n));
            }),
            (Sizes{2, 2, 4, 5}));
}

TEST_F(CustomKernelsTest, WindowsHaveEagersSizes) {
  const Tensor image = tf.zeros({1, 4, 7, 6});
  const Tensor weight = tf.zeros({8, 2, 3, 3});
  EXPECT_EQ(sizes_from([&](auto* s, auto* n) {
              get_convolution_out_target_size(image, weight, ref({2, 1}), ref({1}), ref({1, 2}),
                                              false, ref({0}), 2, s, n);
            }),
            (Sizes{1, 8, 4, 4}));
  EXPECT_EQ(sizes_from([&](auto* s, auto* n) {
              get_convolution_out_target_size(image, tf.zeros({4, 3, 3, 3}), ref({2}), ref({1}),
                                              ref({1}), true, ref({1}), 2, s, n);
            }),
            (Sizes{1, 6, 14, 12}));
  EXPECT_EQ(sizes_from([&](auto* s, auto* n) {
              get_avg_pool2d_out_target_size(image, ref({2}), ref({}), ref({0}), true, s, n);
            }),
            (Sizes{1, 4, 4, 3}));
  Tensor out = tf.zeros({1, 4, 3, 3});
  EXPECT_TRUE(check_avg_pool2d_args(image, ref({2}), ref({}), ref({1}), false, true, {}, out));
  EXPECT_FALSE(check_avg_pool2d_args(image, ref({2}), ref({}), ref({2}), false, true, {}, out));
  EXPECT_FALSE(
      check_avg_pool2d_args(image, ref({2, 2, 2}), ref({}), ref({1}), false, true, {}, out));
  EXPECT_TRUE(check_convolution_args(image, weight, {}, ref({1}), ref({0}), ref({1}), false,
                                     ref({0}), 2, out));
  EXPECT_FALSE(check_convolution_args(image, weight, {}, ref({1}), ref({0}), ref({1}), false,
                                      ref({0}), 1, out));
  SizesType sizes[5];
  size_t rank = 0;
  get_unsqueezed_sizes(image, 2, sizes, rank);
  EXPECT_EQ(Sizes(sizes, sizes + rank), (Sizes{1, 4, 1, 7, 6}));
  DimOrderType order[5];
  get_unsqueezed_dim_order(tf.zeros_channels_last({1, 4, 7, 6}), 2, order);
  EXPECT_EQ(std::vector<DimOrderType>(order, order + 5),
            (std::vector<DimOrderType>{0, 2, 3, 4, 1}));
}

TEST_F(CustomKernelsTest, WindowsAreFolded) {
  Tensor out = tf.zeros({1, 2, 2});
  Tensor indices = tfl.zeros({1, 2, 2});
  const Tensor in = tf.make({1, 3, 3}, {1, 9, 2, 3, 4, 5, 8, 6, 7});
  apply_kernel_2d_reduce_then_map_fn<float>(
      [](float v, int64_t ix, float most, int64_t most_ix) {
        return v > most ? std::tuple<float, int64_t>{v, ix}
                        : std::tuple<float, int64_t>{most, most_ix};
      },
      [](int64_t, float most) { return most; }, false, in, ref({2}), ref({1}), ref({0}), ref({1}),
      out, indices);
  EXPECT_TENSOR_EQ(out, tf.make({1, 2, 2}, {9, 9, 8, 7}));
  EXPECT_TENSOR_EQ(indices, tfl.make({1, 2, 2}, {1, 1, 6, 8}));
  apply_kernel_2d_reduce_then_map_fn<float>(
      [](float v, int64_t, float sum, int64_t) { return std::tuple<float, int64_t>{v + sum, 0}; },
      [](int64_t count, float sum) { return sum / static_cast<float>(count); }, true, in, ref({2}),
      ref({2}), ref({1}), ref({}), out);
  EXPECT_TENSOR_EQ(out, tf.make({1, 2, 2}, {0.25f, 2.75f, 2.75f, 5.5f}));
}

TEST_F(CustomKernelsTest, Padding) {
  const Tensor in = tf.make({1, 3}, {1, 2, 3});
  Tensor out = tf.zeros({1, 7});
  EXPECT_TRUE(check_padding_args(1, in, ref({2, 2}), out, true));
  EXPECT_FALSE(check_padding_args(1, in, ref({3, 1}), out, true));
  EXPECT_TRUE(check_padding_args(1, in, ref({3, 1}), out));
  EXPECT_EQ(
      sizes_from([&](auto* s, auto* n) { get_padding_out_target_size(1, in, ref({3, 1}), s, n); }),
      (Sizes{1, 7}));
  pad1d<float>(reflection_ix, in, out, ref({2, 2}));
  EXPECT_TENSOR_EQ(out, tf.make({1, 7}, {3, 2, 1, 2, 3, 2, 1}));
  pad1d<float>(replication_ix, in, out, ref({3, 1}));
  EXPECT_TENSOR_EQ(out, tf.make({1, 7}, {1, 1, 1, 1, 2, 3, 3}));
  ASSERT_EQ(resize_constant_pad_output(in, ref({3, 1}), out), Error::Ok);
  EXPECT_EQ(resize_constant_pad_output(in, ref({-3, -1}), out), Error::InvalidArgument);
}

TEST_F(CustomKernelsTest, ProductsAndNormalizations) {
  Tensor out = tf.zeros({2, 4});
  const Tensor a = tf.zeros({2, 3});
  EXPECT_TRUE(check_mm_args(a, tf.zeros({3, 4}), out));
  EXPECT_FALSE(check_mm_args(a, tf.zeros({4, 3}), out));
  EXPECT_TRUE(check_linear_args(a, tf.zeros({4, 3}), out));
  EXPECT_EQ(
      sizes_from([&](auto* s, auto* n) { get_linear_out_target_size(a, tf.zeros({4, 3}), s, n); }),
      (Sizes{2, 4}));
  EXPECT_TRUE(check_layer_norm_args(a, ref({3}), tf.zeros({3}), {}, out, out, out));
  EXPECT_FALSE(check_layer_norm_args(a, ref({2}), {}, {}, out, out, out));
  EXPECT_EQ(
      sizes_from([&](auto* s, auto* n) { get_layer_norm_out_target_size(a, ref({3}), s, n); }),
      (Sizes{2, 1}));
  EXPECT_FALSE(check_group_norm_args(tf.zeros({2, 6, 2}), {}, {}, 2, 6, 2, 4, out, out, out));
  EXPECT_TRUE(check_group_norm_args(tf.zeros({2, 6, 2}), {}, {}, 2, 6, 2, 3, out, out, out));
  EXPECT_TRUE(check_gelu_args(a, "tanh", out));
  EXPECT_FALSE(check_gelu_args(a, "sigmoid", out));
  EXPECT_FALSE(check_glu_args(a, 1, out));
  Tensor pairs = tf.zeros({3});
  pdist<float>(tf.make({3, 2}, {0, 0, 3, 4, 0, 1}), pairs, 1);
  EXPECT_TENSOR_EQ(pairs, tf.make({3}, {7, 1, 6}));
}

TEST_F(CustomKernelsTest, Resampling) {
  const Tensor in = tf.zeros({1, 1, 2, 4});
  Tensor out = tf.zeros({1, 1, 9, 9}, TensorShapeDynamism::DYNAMIC_BOUND);
  const double factors[] = {2, 1.5};
  double scale_h = 0;
  double scale_w = 0;
  EXPECT_TRUE(check_upsample_nearest2d_args(in, {}, ArrayRef<double>(factors, 2), out));
  EXPECT_FALSE(check_upsample_nearest2d_args(in, {}, {}, out));
  ASSERT_EQ(resize_upsample_2d(in, {}, ArrayRef<double>(factors, 2), scale_h, scale_w, out),
            Error::Ok);
  EXPECT_TENSOR_EQ(out, tf.zeros({1, 1, 4, 6}));
  EXPECT_EQ(area_pixel_compute_scale<float>(3, 5, true, {}), 0.5f);
  int64_t below = 0;
  int64_t above = 0;
  float share_below = 0;
  float share_above = 0;
  compute_source_index_and_lambda<float, float>(below, above, share_below, share_above, 0.5f, 3, 3,
                                                5, true);
  EXPECT_EQ(below, 1);
  EXPECT_EQ(above, 2);
  EXPECT_EQ(share_above, 0.5f);
  EXPECT_EQ(nearest_neighbor_compute_source_index(0.5f, 3, 2), 1);
}

TEST_F(CustomKernelsTest, TensorsInTemporaryMemory) {
  alignas(16) uint8_t pool[512];
  executorch::runtime::MemoryAllocator allocator(sizeof(pool), pool);
  KernelRuntimeContext ctx(nullptr, &allocator);
  const Tensor like = tf.zeros_channels_last({1, 2, 2, 2});
  Tensor t =
      allocate_tensor(ctx, like.sizes(), like.dim_order(), like.strides(), ScalarType::Float);
  ASSERT_EQ(ctx.failure_state(), Error::Ok);
  for (ssize_t i = 0; i < t.numel(); ++i) {
    t.mutable_data_ptr<float>()[i] = 0;
  }
  EXPECT_TENSOR_EQ(t, like);
  const SizesType huge[] = {1000};
  const DimOrderType order[] = {0};
  const StridesType stride[] = {1};
  const Tensor none = allocate_tensor(ctx, {huge, 1}, {order, 1}, {stride, 1}, ScalarType::Float);
  EXPECT_EQ(none.unsafeGetTensorImpl(), nullptr);
  EXPECT_EQ(ctx.failure_state(), Error::MemoryAllocationFailed);
}

}  // namespace
}  // namespace torch::executor
