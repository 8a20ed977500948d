/**
 * @file
 * Elementwise operators through their C++ functions, in the form in which users' own kernel tests
 * are written: typed factories, tensor macros, `torch::executor::aten::add_outf`.
 */

#include <cmath>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/test/FunctionHeaderWrapper.h>
#include <executorch/kernels/test/ScalarOverflowTestMacros.h>
#include <executorch/kernels/test/TestUtil.h>
#include <executorch/kernels/test/supported_features.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

using executorch::aten::ArrayRef;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using torch::executor::testing::SupportedFeatures;
using torch::executor::testing::TensorFactory;

class OpAddOutKernelTest : public OperatorTest {
 protected:
  Tensor& op_add_out(const Tensor& self, const Tensor& other, const Scalar& alpha, Tensor& out) {
    return torch::executor::aten::add_outf(context_, self, other, alpha, out);
  }

  template <ScalarType DTYPE_A, ScalarType DTYPE_B, ScalarType DTYPE_OUT>
  void test_add() {
    TensorFactory<DTYPE_A> tf_a;
    TensorFactory<DTYPE_B> tf_b;
    TensorFactory<DTYPE_OUT> tf_out;
    Tensor out = tf_out.zeros({2, 2});
    op_add_out(tf_a.make({2, 2}, {1, 2, 4, 8}), tf_b.ones({2, 2}), 1, out);
    EXPECT_TENSOR_EQ(out, tf_out.make({2, 2}, {2, 3, 5, 9}));
  }
};

TEST_F(OpAddOutKernelTest, AllRealTypesWithThemselves) {
#define TEST_ENTRY(ctype, dtype) \
  test_add<ScalarType::dtype, ScalarType::dtype, ScalarType::dtype>();
  ET_FORALL_REALHBF16_TYPES(TEST_ENTRY)
#undef TEST_ENTRY
}

TEST_F(OpAddOutKernelTest, IntegersIntoFloats) {
#define TEST_ENTRY(ctype, dtype) test_add<ScalarType::dtype, ScalarType::Int, ScalarType::Float>();
  ET_FORALL_REAL_TYPES_AND(Half, TEST_ENTRY)
#undef TEST_ENTRY
}

TEST_F(OpAddOutKernelTest, BoolAndBoolIsOr) {
  TensorFactory<ScalarType::Bool> tf;
  Tensor out = tf.zeros({4});
  op_add_out(tf.make({4}, {false, true, false, true}), tf.make({4}, {false, false, true, true}), 1,
             out);
  EXPECT_TENSOR_EQ(out, tf.make({4}, {false, true, true, true}));
}

TEST_F(OpAddOutKernelTest, BroadcastsOneDimension) {
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({2, 3});
  op_add_out(tf.make({2, 1}, {10, 20}), tf.make({3}, {1, 2, 3}), 1, out);
  EXPECT_TENSOR_CLOSE(out, tf.make({2, 3}, {11, 12, 13, 21, 22, 23}));
}

TEST_F(OpAddOutKernelTest, ChannelsLast) {
  ET_SKIP_IF(!SupportedFeatures::get()->channels_last, "contiguous tensors only");
  TensorFactory<ScalarType::Float> tf;
  const Tensor a = tf.make({1, 2, 2, 1}, {1, 2, 3, 4});
  Tensor out = tf.zeros_channels_last({1, 2, 2, 1});
  op_add_out(tf.channels_last_like(a), a, 1, out);
  EXPECT_TENSOR_EQ(out, tf.channels_last_like(tf.make({1, 2, 2, 1}, {2, 4, 6, 8})));
}

TEST_F(OpAddOutKernelTest, FloatAlphaForIntegersFails) {
  TensorFactory<ScalarType::Int> tf;
  Tensor out = tf.zeros({2});
  ET_EXPECT_KERNEL_FAILURE(context_, op_add_out(tf.ones({2}), tf.ones({2}), 1.5, out));
}

TEST_F(OpAddOutKernelTest, FloatsIntoIntegersFails) {
  TensorFactory<ScalarType::Float> tf;
  TensorFactory<ScalarType::Int> tf_out;
  Tensor out = tf_out.zeros({2});
  ET_EXPECT_KERNEL_FAILURE(context_, op_add_out(tf.ones({2}), tf.ones({2}), 1, out));
}

TEST_F(OpAddOutKernelTest, DynamicOutput) {
  TensorFactory<ScalarType::Double> tf;
  Tensor out = tf.zeros({4, 4}, torch::executor::TensorShapeDynamism::DYNAMIC_BOUND);
  op_add_out(tf.ones({2, 3}), tf.ones({2, 3}), 2, out);
  EXPECT_TENSOR_EQ(out, tf.full({2, 3}, 3));
}

TEST(NativeFunctionsTest, KernelsAreCallableByTheirOwnNames) {
  torch::executor::runtime_init();
  torch::executor::KernelRuntimeContext context;
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({2});
  torch::executor::native::add_out(context, tf.ones({2}), tf.ones({2}), 1, out);
  EXPECT_TENSOR_EQ(out, tf.full({2}, 2));
  torch::executor::native::add_scalar_out(context, out, 3, 2, out);
  EXPECT_TENSOR_EQ(out, tf.full({2}, 8));
  EXPECT_EQ(context.failure_state(), torch::executor::Error::Ok);
}

class OpFullOutTest : public OperatorTest {
 protected:
  Tensor& op_full_out(ArrayRef<int64_t> sizes, const Scalar& value, Tensor& out) {
    return torch::executor::aten::full_outf(context_, sizes, value, out);
  }

  template <ScalarType DTYPE>
  void expect_bad_scalar_value_dies(const Scalar& bad_value) {
    TensorFactory<DTYPE> tf;
    Tensor out = tf.ones({2, 2});
    const int64_t sizes[] = {2, 2};
    ET_EXPECT_KERNEL_FAILURE(context_, op_full_out(ArrayRef<int64_t>(sizes, 2), bad_value, out));
    EXPECT_TENSOR_EQ(out, tf.ones({2, 2}));
  }
};

GENERATE_SCALAR_OVERFLOW_TESTS(OpFullOutTest)

TEST_F(OpFullOutTest, TheLimitsThemselvesAreNoOverflow) {
  const int64_t sizes[] = {1};
  const auto expect = [&](auto& tf, const Scalar& value, auto element) {
    Tensor out = tf.zeros({1});
    op_full_out(ArrayRef<int64_t>(sizes, 1), value, out);
    EXPECT_TENSOR_EQ(out, tf.full({1}, element));
  };
  TensorFactory<ScalarType::Byte> bytes;
  expect(bytes, 255, uint8_t{255});
  expect(bytes, -1, uint8_t{255});
  TensorFactory<ScalarType::Char> chars;
  expect(chars, -128, int8_t{-128});
  TensorFactory<ScalarType::Long> longs;
  expect(longs, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::min());
  TensorFactory<ScalarType::Float> floats;
  expect(floats, static_cast<double>(std::numeric_limits<float>::max()),
         std::numeric_limits<float>::max());
  expect(floats, std::numeric_limits<double>::infinity(), std::numeric_limits<float>::infinity());
  expect(floats, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<float>::quiet_NaN());
}

class OpClampOutTest : public OperatorTest {
 protected:
  Tensor& op_clamp_out(const Tensor& self, const std::optional<Scalar>& min,
                       const std::optional<Scalar>& max, Tensor& out) {
    return torch::executor::aten::clamp_outf(context_, self, min, max, out);
  }
};

TEST_F(OpClampOutTest, NanAndInfinity) {
  TensorFactory<ScalarType::Float> tf;
  constexpr float kInf = std::numeric_limits<float>::infinity();
  Tensor out = tf.zeros({4});
  op_clamp_out(tf.make({4}, {-kInf, 0.5f, kInf, NAN}), Scalar(-1), Scalar(2.5), out);
  EXPECT_TENSOR_EQ(out, tf.make({4}, {-1.0f, 0.5f, 2.5f, NAN}));
}

TEST_F(OpClampOutTest, NoBoundFails) {
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({1});
  ET_EXPECT_KERNEL_FAILURE(context_, op_clamp_out(tf.ones({1}), std::nullopt, std::nullopt, out));
}

class OpWhereOutTest : public OperatorTest {
 protected:
  Tensor& op_where_self_out(const Tensor& condition, const Tensor& self, const Tensor& other,
                            Tensor& out) {
    return torch::executor::aten::where_outf(context_, condition, self, other, out);
  }
};

TEST_F(OpWhereOutTest, PromotesAndBroadcasts) {
  TensorFactory<ScalarType::Bool> tf_condition;
  TensorFactory<ScalarType::Short> tf_a;
  TensorFactory<ScalarType::BFloat16> tf_b;
  Tensor out = tf_b.zeros({2, 2});
  op_where_self_out(tf_condition.make({2}, {true, false}), tf_a.make({2, 1}, {1, 2}),
                    tf_b.make({1, 1}, {0.5}), out);
  EXPECT_TENSOR_EQ(out, tf_b.make({2, 2}, {1, 0.5, 2, 0.5}));
}

class OpExpOutTest : public OperatorTest {
 protected:
  Tensor& op_exp_out(const Tensor& self, Tensor& out) {
    return torch::executor::aten::exp_outf(context_, self, out);
  }
};

TEST_F(OpExpOutTest, BoolAndIntegersGiveFloat) {
  TensorFactory<ScalarType::Float> tf_out;
#define TEST_ENTRY(ctype, dtype)                                        \
  {                                                                     \
    TensorFactory<ScalarType::dtype> tf;                                \
    Tensor out = tf_out.zeros({2});                                     \
    op_exp_out(tf.make({2}, {0, 1}), out);                              \
    EXPECT_TENSOR_CLOSE(out, tf_out.make({2}, {1.0f, std::exp(1.0f)})); \
  }
  ET_FORALL_INT_TYPES_AND(Bool, TEST_ENTRY)
#undef TEST_ENTRY
}

TEST_F(OpExpOutTest, HalfRoundsOnce) {
  TensorFactory<ScalarType::Half> tf;
  Tensor out = tf.zeros({3});
  op_exp_out(tf.make({3}, {0, 1, -1}), out);
  EXPECT_TENSOR_EQ(out, tf.make({3}, {1, std::exp(1.0f), static_cast<float>(1 / std::exp(1.0))}));
}
