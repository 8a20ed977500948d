/**
 * @file
 * Reductions, softmax, normalization and sorting through their C++ functions.
 */

#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/test/FunctionHeaderWrapper.h>
#include <executorch/kernels/test/TestUtil.h>
#include <executorch/kernels/test/supported_features.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/core/memory_allocator.h>

using executorch::aten::ArrayRef;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using torch::executor::testing::TensorFactory;

class OpSumOutTest : public OperatorTest {
 protected:
  Tensor& op_sum_intlist_out(const Tensor& self, std::optional<ArrayRef<int64_t>> dim, bool keepdim,
                             std::optional<ScalarType> dtype, Tensor& out) {
    return torch::executor::aten::sum_outf(context_, self, dim, keepdim, dtype, out);
  }
};

TEST_F(OpSumOutTest, OverSomeDimensions) {
  TensorFactory<ScalarType::Float> tf;
  const Tensor in = tf.make({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const int64_t dims[] = {0, -1};
  Tensor out = tf.zeros({1, 3, 1});
  op_sum_intlist_out(in, ArrayRef<int64_t>(dims, 2), /*keepdim=*/true, {}, out);
  EXPECT_TENSOR_EQ(out, tf.make({1, 3, 1}, {14, 22, 30}));
}

TEST_F(OpSumOutTest, IntegersAreSummedInLong) {
  TensorFactory<ScalarType::Byte> tf;
  TensorFactory<ScalarType::Long> tf_out;
  Tensor out = tf_out.zeros({});
  op_sum_intlist_out(tf.full({3}, 200), {}, false, ScalarType::Long, out);
  EXPECT_TENSOR_EQ(out, tf_out.make({}, {600}));
}

TEST_F(OpSumOutTest, NothingSumsToZero) {
  TensorFactory<ScalarType::Double> tf;
  Tensor out = tf.ones({3});
  const int64_t dim = 0;
  op_sum_intlist_out(tf.zeros({0, 3}), ArrayRef<int64_t>(&dim, 1), false, {}, out);
  EXPECT_TENSOR_EQ(out, tf.zeros({3}));
}

TEST_F(OpSumOutTest, ADimensionTwiceFails) {
  TensorFactory<ScalarType::Float> tf;
  const int64_t dims[] = {0, -2};
  Tensor out = tf.zeros({2});
  ET_EXPECT_KERNEL_FAILURE(
      context_, op_sum_intlist_out(tf.ones({2, 2}), ArrayRef<int64_t>(dims, 2), false, {}, out));
}

class OpSoftmaxOutTest : public OperatorTest {
 protected:
  Tensor& op_softmax_out(const Tensor& self, int64_t dim, bool half_to_float, Tensor& out) {
    return torch::executor::aten::_softmax_outf(context_, self, dim, half_to_float, out);
  }
};

TEST_F(OpSoftmaxOutTest, LargeValuesDoNotOverflow) {
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({2, 2});
  op_softmax_out(tf.make({2, 2}, {1000, 1000, -1000, 1000}), 1, false, out);
  EXPECT_TENSOR_CLOSE(out, tf.make({2, 2}, {0.5, 0.5, 0, 1}));
}

TEST_F(OpSoftmaxOutTest, FloatingTypes) {
#define TEST_ENTRY(ctype, dtype)                                  \
  {                                                               \
    TensorFactory<ScalarType::dtype> tf;                          \
    Tensor out = tf.zeros({2, 2});                                \
    op_softmax_out(tf.make({2, 2}, {3, 1, 3, 1}), 0, false, out); \
    EXPECT_TENSOR_CLOSE(out, tf.full({2, 2}, 0.5));               \
  }
  ET_FORALL_FLOATHBF16_TYPES(TEST_ENTRY)
#undef TEST_ENTRY
}

class OpNativeLayerNormTest : public OperatorTest {};

TEST_F(OpNativeLayerNormTest, WeightAndBias) {
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({2, 2});
  Tensor mean = tf.zeros({2, 1});
  Tensor rstd = tf.zeros({2, 1});
  const int64_t shape[] = {2};
  torch::executor::aten::native_layer_norm_outf(
      context_, tf.make({2, 2}, {1, 3, -4, 4}), ArrayRef<int64_t>(shape, 1),
      std::optional<Tensor>(tf.make({2}, {2, 1})), std::optional<Tensor>(tf.make({2}, {0, 10})), 0,
      out, mean, rstd);
  EXPECT_TENSOR_CLOSE(out, tf.make({2, 2}, {-2, 11, -2, 11}));
  EXPECT_TENSOR_CLOSE(mean, tf.make({2, 1}, {2, 0}));
  EXPECT_TENSOR_CLOSE(rstd, tf.make({2, 1}, {1, 0.25}));
}

class OpArgmaxTest : public OperatorTest {};

TEST_F(OpArgmaxTest, TheFirstOfEqualsAndNan) {
  TensorFactory<ScalarType::Float> tf;
  TensorFactory<ScalarType::Long> tf_out;
  Tensor out = tf_out.zeros({2});
  torch::executor::aten::argmax_outf(context_, tf.make({2, 3}, {5, 7, 7, 1, NAN, 9}), 1, false,
                                     out);
  EXPECT_TENSOR_EQ(out, tf_out.make({2}, {1, 1}));
}

class OpSortTest : public OperatorTest {
 protected:
  std::tuple<Tensor&, Tensor&> op_sort(executorch::runtime::KernelRuntimeContext& context,
                                       const Tensor& self, bool descending, Tensor& values,
                                       Tensor& indices) {
    return torch::executor::aten::sort_outf(context, self, std::optional<bool>(true), -1,
                                            descending, values, indices);
  }

  TensorFactory<ScalarType::Float> tf_;
  TensorFactory<ScalarType::Long> tf_index_;
};

TEST_F(OpSortTest, StableAndNanLast) {
  Tensor values = tf_.zeros({5});
  Tensor indices = tf_index_.zeros({5});
  op_sort(context_, tf_.make({5}, {2, NAN, 1, 2, -1}), false, values, indices);
  EXPECT_TENSOR_EQ(values, tf_.make({5}, {-1, 1, 2, 2, NAN}));
  EXPECT_TENSOR_EQ(indices, tf_index_.make({5}, {4, 2, 0, 3, 1}));
}

TEST_F(OpSortTest, LongLinesNeedTheTemporaryAllocator) {
  constexpr int32_t kLength = 1000;
  std::vector<float> data(kLength);
  for (int32_t i = 0; i < kLength; ++i) {
    data[static_cast<size_t>(i)] = static_cast<float>((i * 37) % kLength);
  }
  const Tensor in = tf_.make({kLength}, data);
  Tensor values = tf_.zeros({kLength});
  Tensor indices = tf_index_.zeros({kLength});

  executorch::runtime::KernelRuntimeContext without;
  op_sort(without, in, false, values, indices);
  EXPECT_EQ(without.failure_state(), executorch::runtime::Error::MemoryAllocationFailed);

  std::vector<uint8_t> memory(64 * kLength);
  executorch::runtime::MemoryAllocator allocator(static_cast<uint32_t>(memory.size()),
                                                 memory.data());
  executorch::runtime::KernelRuntimeContext with(nullptr, &allocator);
  op_sort(with, in, false, values, indices);
  ASSERT_EQ(with.failure_state(), executorch::runtime::Error::Ok);
  for (int32_t i = 0; i < kLength; ++i) {
    ASSERT_EQ(values.const_data_ptr<float>()[i], static_cast<float>(i));
  }
}
