/**
 * @file
 * What the comparison with eager (kernels/test) does not see: failures, dynamic outputs, aliasing,
 * hostile bytes, and the operators' C++ functions.
 */

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executorch/kernels/portable/Functions.h>
#include <executorch/kernels/test/TestUtil.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/kernel/operator_registry.h>

namespace {

using executorch::aten::ArrayRef;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::runtime::TensorShapeDynamism;
using executorch::runtime::testing::TensorFactory;
namespace ops = torch::executor::aten;

class PortableTest : public OperatorTest {};

/// Requires that `call`, which takes a context of its own, fails.
template <typename Call>
void expect_failure_of(Call&& call, const char* what) {
  executorch::runtime::KernelRuntimeContext context;
  call(context);
  EXPECT_NE(context.failure_state(), executorch::runtime::Error::Ok) << what;
}
#define EXPECT_FAILS(expression)                                                         \
  expect_failure_of([&](executorch::runtime::KernelRuntimeContext& ctx) { expression; }, \
                    #expression)

TEST_F(PortableTest, AddBroadcastsAndPromotes) {
  TensorFactory<ScalarType::Int> ints;
  TensorFactory<ScalarType::Float> floats;
  Tensor out = floats.zeros({2, 3});
  ops::add_outf(context_, ints.make({2, 1}, {1, 2}), floats.make({3}, {0.5, 1.5, 2.5}), 2, out);
  EXPECT_TENSOR_EQ(out, floats.make({2, 3}, {2, 4, 6, 3, 5, 7}));
}

TEST_F(PortableTest, AddInPlace) {
  TensorFactory<ScalarType::Float> tf;
  Tensor a = tf.make({2, 2}, {1, 2, 3, 4});
  ops::add_outf(context_, a, a, 1, a);
  EXPECT_TENSOR_EQ(a, tf.make({2, 2}, {2, 4, 6, 8}));
}

TEST_F(PortableTest, DynamicOutputTakesTheShape) {
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({10, 10}, TensorShapeDynamism::DYNAMIC_BOUND);
  ops::relu_outf(context_, tf.make({2, 2}, {-1, 2, -3, 4}), out);
  EXPECT_TENSOR_EQ(out, tf.make({2, 2}, {0, 2, 0, 4}));
}

TEST_F(PortableTest, StaticOutputOfAnotherShapeFails) {
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({4});
  ET_EXPECT_KERNEL_FAILURE(context_, ops::relu_outf(context_, tf.ones({3}), out));
}

TEST_F(PortableTest, ShapesThatDoNotBroadcastFail) {
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({6}, TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_FAILS(ops::mul_outf(ctx, tf.ones({3}), tf.ones({2}), out));
}

TEST_F(PortableTest, ResultThatCannotBeStoredFails) {
  TensorFactory<ScalarType::Float> floats;
  TensorFactory<ScalarType::Int> ints;
  Tensor out = ints.zeros({3});
  EXPECT_FAILS(ops::mul_outf(ctx, floats.ones({3}), floats.ones({3}), out));
}

TEST_F(PortableTest, IntegerDivisionByZeroFails) {
  TensorFactory<ScalarType::Int> tf;
  Tensor out = tf.zeros({2});
  EXPECT_FAILS(ops::div_outf(ctx, tf.make({2}, {1, 2}), tf.make({2}, {1, 0}),
                             std::optional<std::string_view>("floor"), out));
}

TEST_F(PortableTest, MostNegativeIntegerDividedByMinusOne) {
  TensorFactory<ScalarType::Long> tf;
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  Tensor out = tf.zeros({1});
  const Tensor a = tf.make({1}, {kMin});
  const Tensor b = tf.make({1}, {-1});
  ops::floor_divide_outf(context_, a, b, out);
  EXPECT_TENSOR_EQ(out, tf.make({1}, {kMin}));
  ops::remainder_outf(context_, a, b, out);
  EXPECT_TENSOR_EQ(out, tf.make({1}, {0}));
}

TEST_F(PortableTest, BoolBytesOtherThanOneAreTrue) {
  TensorFactory<ScalarType::Bool> bools;
  TensorFactory<ScalarType::Float> floats;
  Tensor condition = bools.make({3}, {0, 1, 1});
  static_cast<uint8_t*>(condition.mutable_data_ptr())[1] = 0x80;
  Tensor out = floats.zeros({3});
  ops::where_outf(context_, condition, floats.full({3}, 1), floats.full({3}, 2), out);
  EXPECT_TENSOR_EQ(out, floats.make({3}, {2, 1, 1}));
  Tensor truth = bools.zeros({3});
  ops::logical_and_outf(context_, condition, condition, truth);
  EXPECT_TENSOR_EQ(truth, bools.make({3}, {0, 1, 1}));
  Tensor sum = floats.zeros({});
  ops::sum_outf(context_, condition, executorch::aten::OptionalArrayRef<int64_t>(), false,
                ScalarType::Float, sum);
  EXPECT_TENSOR_EQ(sum, floats.make({}, {2}));
}

TEST_F(PortableTest, FloatsOutsideOfTheIntegersAreDefined) {
  TensorFactory<ScalarType::Double> doubles;
  TensorFactory<ScalarType::Long> longs;
  Tensor out = longs.zeros({4});
  const double inf = std::numeric_limits<double>::infinity();
  ops::_to_copy_outf(context_, doubles.make({4}, {1e300, -inf, std::nan(""), -2.9}), false,
                     std::optional<executorch::aten::MemoryFormat>(), out);
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_TENSOR_EQ(out, longs.make({4}, {kMin, kMin, kMin, -2}));
}

TEST_F(PortableTest, HostileSizesFail) {
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({2, 3}, TensorShapeDynamism::DYNAMIC_BOUND);
  const Tensor in = tf.ones({2, 3});
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{kMax, kMax}, std::vector<int64_t>{-1, -1},
        std::vector<int64_t>{-2, -3}, std::vector<int64_t>{0, -1}, std::vector<int64_t>(40, 1)}) {
    const ArrayRef<int64_t> list(sizes.data(), sizes.size());
    EXPECT_FAILS(ops::view_copy_outf(ctx, in, list, out));
    EXPECT_FAILS(ops::full_outf(ctx, list, 1, out));
    EXPECT_FAILS(ops::repeat_outf(ctx, in, list, out));
  }
}

TEST_F(PortableTest, HostileDimensionsFail) {
  TensorFactory<ScalarType::Float> tf;
  const Tensor in = tf.ones({2, 3});
  Tensor out = tf.zeros({2, 3}, TensorShapeDynamism::DYNAMIC_BOUND);
  for (const int64_t dim : {int64_t{2}, int64_t{-3}, std::numeric_limits<int64_t>::min()}) {
    EXPECT_FAILS(ops::_softmax_outf(ctx, in, dim, false, out));
    EXPECT_FAILS(ops::select_copy_outf(ctx, in, dim, 0, out));
    EXPECT_FAILS(ops::amax_outf(ctx, in, ArrayRef<int64_t>(&dim, 1), false, out));
    EXPECT_FAILS(ops::select_copy_outf(ctx, in, 0, dim, out));
  }
}

TEST_F(PortableTest, StridesThatLeaveTheMemoryFail) {
  TensorFactory<ScalarType::Float> tf;
  const Tensor in = tf.ones({6});
  Tensor out = tf.zeros({2, 3}, TensorShapeDynamism::DYNAMIC_BOUND);
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const int64_t sizes[] = {2, 3};
  for (const std::vector<int64_t>& strides :
       {std::vector<int64_t>{3, 2}, std::vector<int64_t>{kMax, 1}, std::vector<int64_t>{-1, 1}}) {
    EXPECT_FAILS(ops::as_strided_copy_outf(ctx, in, ArrayRef<int64_t>(sizes, 2),
                                           ArrayRef<int64_t>(strides.data(), 2),
                                           std::optional<int64_t>(), out));
  }
}

TEST_F(PortableTest, ConvolutionRefusesNonsense) {
  TensorFactory<ScalarType::Float> tf;
  const Tensor in = tf.ones({1, 2, 4, 4});
  const Tensor weight = tf.ones({2, 2, 3, 3});
  Tensor out = tf.zeros({1, 2, 4, 4}, TensorShapeDynamism::DYNAMIC_BOUND);
  const auto run = [&](executorch::runtime::KernelRuntimeContext& ctx, std::vector<int64_t> stride,
                       std::vector<int64_t> padding, std::vector<int64_t> dilation,
                       int64_t groups) {
    const auto ref = [](const std::vector<int64_t>& v) {
      return ArrayRef<int64_t>(v.data(), v.size());
    };
    const std::vector<int64_t> zeros = {0, 0};
    ops::convolution_outf(ctx, in, weight, std::optional<Tensor>(), ref(stride), ref(padding),
                          ref(dilation), false, ref(zeros), groups, out);
  };
  run(context_, {1, 1}, {1, 1}, {1, 1}, 1);
  ASSERT_EQ(context_.failure_state(), executorch::runtime::Error::Ok);
  EXPECT_TENSOR_EQ(
      out, tf.make({1, 2, 4, 4}, {8, 12, 12, 8, 12, 18, 18, 12, 12, 18, 18, 12, 8, 12, 12, 8,
                                  8, 12, 12, 8, 12, 18, 18, 12, 12, 18, 18, 12, 8, 12, 12, 8}));
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_FAILS(run(ctx, {0, 1}, {0, 0}, {1, 1}, 1));
  EXPECT_FAILS(run(ctx, {1, 1}, {-1, 0}, {1, 1}, 1));
  EXPECT_FAILS(run(ctx, {1, 1}, {kMax, 0}, {1, 1}, 1));
  EXPECT_FAILS(run(ctx, {1, 1}, {0, 0}, {kMax, 1}, 1));
  EXPECT_FAILS(run(ctx, {1, 1}, {0, 0}, {9, 1}, 1));
  EXPECT_FAILS(run(ctx, {1, 1, 1}, {0, 0}, {1, 1}, 1));
  EXPECT_FAILS(run(ctx, {1, 1}, {0, 0}, {1, 1}, 0));
  EXPECT_FAILS(run(ctx, {1, 1}, {0, 0}, {1, 1}, 3));
}

TEST_F(PortableTest, EveryKernelIsRegistered) {
  for (const char* name :
       {"aten::add.out", "aten::convolution.out", "dim_order_ops::_to_dim_order_copy.out"}) {
    EXPECT_TRUE(executorch::runtime::registry_has_op_function(name)) << name;
  }
}

}  // namespace
