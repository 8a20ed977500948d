/**
 * @file
 * Operators that move data, products and lists through their C++ functions.
 */

#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/test/FunctionHeaderWrapper.h>
#include <executorch/kernels/test/TestUtil.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>

using executorch::aten::ArrayRef;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorList;
using torch::executor::testing::TensorFactory;
using torch::executor::testing::TensorListFactory;

class OpCatOutTest : public OperatorTest {
 protected:
  Tensor& op_cat_out(TensorList tensors, int64_t dim, Tensor& out) {
    return torch::executor::aten::cat_outf(context_, tensors, dim, out);
  }
};

TEST_F(OpCatOutTest, SkipsLegacyEmptyTensors) {
  TensorFactory<ScalarType::Int> tf;
  const std::vector<Tensor> inputs = {tf.make({2, 1}, {1, 2}), tf.make({0}, {}),
                                      tf.make({2, 2}, {3, 4, 5, 6})};
  Tensor out = tf.zeros({2, 3});
  op_cat_out(TensorList(inputs.data(), inputs.size()), 1, out);
  EXPECT_TENSOR_EQ(out, tf.make({2, 3}, {1, 3, 4, 2, 5, 6}));
}

TEST_F(OpCatOutTest, AllDtypes){
#define TEST_ENTRY(ctype, dtype)                                            \
  {                                                                         \
    TensorFactory<ScalarType::dtype> tf;                                    \
    const std::vector<Tensor> inputs = {tf.ones({1, 2}), tf.zeros({1, 2})}; \
    Tensor out = tf.zeros({2, 2});                                          \
    op_cat_out(TensorList(inputs.data(), inputs.size()), 0, out);           \
    EXPECT_TENSOR_EQ(out, tf.make({2, 2}, {1, 1, 0, 0}));                   \
  }
    ET_FORALL_REALHBBF16_TYPES(TEST_ENTRY)
#undef TEST_ENTRY
}

TEST_F(OpCatOutTest, OtherSizesFail) {
  TensorFactory<ScalarType::Int> tf;
  const std::vector<Tensor> inputs = {tf.ones({2, 2}), tf.ones({3, 2})};
  Tensor out = tf.zeros({2, 4});
  ET_EXPECT_KERNEL_FAILURE(context_, op_cat_out(TensorList(inputs.data(), inputs.size()), 1, out));
}

class OpSplitCopyTest : public OperatorTest {};

TEST_F(OpSplitCopyTest, FillsAList) {
  TensorFactory<ScalarType::Float> tf;
  TensorListFactory<ScalarType::Float> tlf;
  const Tensor in = tf.make({2, 3}, {1, 2, 3, 4, 5, 6});
  const std::vector<Tensor> expected = {tf.make({2, 2}, {1, 2, 4, 5}), tf.make({2, 1}, {3, 6})};
  TensorList out = tlf.zeros_like(expected);
  torch::executor::aten::split_copy_outf(context_, in, 2, 1, out);
  EXPECT_TENSOR_LISTS_EQ(out, expected);
}

class OpIndexTensorOutTest : public OperatorTest {
 protected:
  Tensor& op_index_tensor_out(const Tensor& x, ArrayRef<std::optional<Tensor>> indices,
                              Tensor& out) {
    return torch::executor::aten::index_outf(context_, x, indices, out);
  }
};

TEST_F(OpIndexTensorOutTest, AbsentIndicesTakeAll) {
  TensorFactory<ScalarType::Double> tf;
  TensorFactory<ScalarType::Long> tfl;
  const std::optional<Tensor> indices[] = {std::nullopt,
                                           std::optional<Tensor>(tfl.make({3}, {1, -1, 0}))};
  Tensor out = tf.zeros({2, 3});
  op_index_tensor_out(tf.make({2, 2}, {1, 2, 3, 4}), ArrayRef<std::optional<Tensor>>(indices, 2),
                      out);
  EXPECT_TENSOR_EQ(out, tf.make({2, 3}, {2, 2, 1, 4, 4, 3}));
}

TEST_F(OpIndexTensorOutTest, OutOfRangeFails) {
  TensorFactory<ScalarType::Double> tf;
  TensorFactory<ScalarType::Long> tfl;
  const std::optional<Tensor> indices[] = {std::optional<Tensor>(tfl.make({1}, {2}))};
  Tensor out = tf.zeros({1, 2});
  ET_EXPECT_KERNEL_FAILURE_WITH_MSG(
      context_,
      op_index_tensor_out(tf.ones({2, 2}), ArrayRef<std::optional<Tensor>>(indices, 1), out),
      "out of range");
}

class OpNonzeroOutTest : public OperatorTest {};

TEST_F(OpNonzeroOutTest, ShapeDependsOnTheData) {
  TensorFactory<ScalarType::Float> tf;
  TensorFactory<ScalarType::Long> tfl;
  Tensor out = tfl.zeros({4, 2}, torch::executor::TensorShapeDynamism::DYNAMIC_BOUND);
  torch::executor::aten::nonzero_outf(context_, tf.make({2, 2}, {0, 1, 0, 2}), out);
  EXPECT_TENSOR_EQ(out, tfl.make({2, 2}, {0, 1, 1, 1}));
}

class OpLinearOutTest : public OperatorTest {};

TEST_F(OpLinearOutTest, WithAndWithoutBias) {
  TensorFactory<ScalarType::Float> tf;
  const Tensor in = tf.make({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor weight = tf.make({2, 3}, {1, 0, 1, 0, 2, 0});
  Tensor out = tf.zeros({2, 2});
  torch::executor::aten::linear_outf(context_, in, weight, std::nullopt, out);
  EXPECT_TENSOR_CLOSE(out, tf.make({2, 2}, {4, 4, 10, 10}));
  torch::executor::aten::linear_outf(context_, in, weight,
                                     std::optional<Tensor>(tf.make({2}, {-4, 1})), out);
  EXPECT_TENSOR_CLOSE(out, tf.make({2, 2}, {0, 5, 6, 11}));
}

class OpConvolutionOutTest : public OperatorTest {};

TEST_F(OpConvolutionOutTest, TransposedAndChannelsLast) {
  TensorFactory<ScalarType::Float> tf;
  const int64_t two[] = {2, 2};
  const int64_t one[] = {1, 1};
  const int64_t zero[] = {0, 0};
  const Tensor weight = tf.make({1, 1, 2, 2}, {1, 2, 3, 4});
  Tensor out = tf.zeros({1, 1, 2, 4});
  torch::executor::aten::convolution_outf(context_, tf.make({1, 1, 1, 2}, {1, 10}), weight,
                                          std::nullopt, ArrayRef<int64_t>(two, 2),
                                          ArrayRef<int64_t>(zero, 2), ArrayRef<int64_t>(one, 2),
                                          /*transposed=*/true, ArrayRef<int64_t>(zero, 2), 1, out);
  EXPECT_TENSOR_CLOSE(out, tf.make({1, 1, 2, 4}, {1, 2, 10, 20, 3, 4, 30, 40}));

  const Tensor image = tf.make({1, 2, 1, 2}, {1, 2, 10, 20});
  Tensor last = tf.zeros_channels_last({1, 1, 1, 2});
  torch::executor::aten::convolution_outf(
      context_, tf.channels_last_like(image),
      tf.channels_last_like(tf.make({1, 2, 1, 1}, {1, 0.5})), std::nullopt,
      ArrayRef<int64_t>(one, 2), ArrayRef<int64_t>(zero, 2), ArrayRef<int64_t>(one, 2),
      /*transposed=*/false, ArrayRef<int64_t>(zero, 2), 1, last);
  EXPECT_TENSOR_CLOSE(last, tf.make_channels_last({1, 1, 1, 2}, {6, 12}));
}
