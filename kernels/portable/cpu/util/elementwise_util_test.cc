#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/portable/cpu/pattern/bitwise_op.h>
#include <executorch/kernels/portable/cpu/pattern/comparison_op.h>
#include <executorch/kernels/portable/cpu/pattern/logical_op.h>
#include <executorch/kernels/portable/cpu/pattern/pattern.h>
#include <executorch/kernels/portable/cpu/scalar_utils.h>
#include <executorch/kernels/portable/cpu/util/elementwise_util.h>
#include <executorch/kernels/portable/cpu/util/functional_util.h>
#include <executorch/kernels/portable/cpu/util/math_util.h>
#include <executorch/kernels/portable/cpu/util/vectorized_math.h>
#include <executorch/kernels/portable/cpu/vec_ops.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/platform/runtime.h>

namespace torch::executor::native {

DEFINE_UNARY_UFUNC_REALHBBF16_TO_FLOATHBF16(my_sqrt_out, std::sqrt)
DEFINE_UNARY_UFUNC_REALHBF16(my_ceil_out, std::ceil)
DEFINE_UNARY_UFUNC_REALHBBF16_TO_BOOL(my_isinf_out, std::isinf)

namespace {

using executorch::runtime::testing::TensorFactory;
using utils::SupportedTensorDtypes;

constexpr const char kName[] = "my_op.out";
constexpr SupportedTensorDtypes kReal = SupportedTensorDtypes::REALHBBF16;

class ElementwiseUtilTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }
  KernelRuntimeContext ctx;
  TensorFactory<ScalarType::Float> tf;
  TensorFactory<ScalarType::Int> tfi;
  TensorFactory<ScalarType::Bool> tfb;
  TensorFactory<ScalarType::Half> tfh;
};

TEST_F(ElementwiseUtilTest, ConvertsAndBroadcasts) {
  Tensor out = tfh.zeros({2, 2});
  utils::apply_bitensor_elementwise_fn<float, kName, kReal>(
      [](const auto a, const auto b) { return a * b; }, ctx, tfi.make({2, 1}, {2, 3}), kReal,
      tf.make({2}, {0.5f, 4}), kReal, out);
  EXPECT_TENSOR_EQ(out, tfh.make({2, 2}, {1, 8, 1.5, 12}));
  EXPECT_EQ(ctx.failure_state(), Error::Ok);
}

TEST_F(ElementwiseUtilTest, TakesOneAndThreeTensors) {
  Tensor out = tf.zeros({3});
  const Tensor a = tf.make({3}, {1, 2, 3});
  utils::apply_unitensor_elementwise_fn<float, kName>([](float v) { return v + 1; }, ctx, a, kReal,
                                                      out, kReal);
  EXPECT_TENSOR_EQ(out, tf.make({3}, {2, 3, 4}));
  utils::apply_tritensor_elementwise_fn<float, kName, kReal>(
      [](float x, float y, float z) { return x != 0 ? y : z; }, ctx, tfb.make({3}, {1, 0, 1}),
      SupportedTensorDtypes::BOOL_OR_BYTE, a, kReal, tf.make({1}, {9}), kReal, out);
  EXPECT_TENSOR_EQ(out, tf.make({3}, {1, 9, 3}));
}

TEST_F(ElementwiseUtilTest, RefusesOtherDtypes) {
  Tensor out = tf.zeros({1});
  utils::apply_unitensor_elementwise_fn<float, kName, SupportedTensorDtypes::SAME_AS_COMMON>(
      [](float v) { return v; }, ctx, tfi.make({1}, {5}), SupportedTensorDtypes::FLOATHBF16, out);
  EXPECT_EQ(ctx.failure_state(), Error::InvalidArgument);
  EXPECT_TENSOR_EQ(out, tf.zeros({1}));
}

TEST_F(ElementwiseUtilTest, ReadsEachLayout) {
  Tensor out = tf.zeros_channels_last({1, 2, 1, 2});
  utils::apply_unitensor_elementwise_fn<float, kName, kReal>(
      [](float v) { return v; }, ctx, tf.make({1, 2, 1, 2}, {1, 2, 3, 4}), kReal, out);
  EXPECT_TENSOR_EQ(out, tf.make_channels_last({1, 2, 1, 2}, {1, 3, 2, 4}));
}

TEST_F(ElementwiseUtilTest, WholeOperators) {
  Tensor truth = tfb.zeros({2});
  internal::comparison_tensor_out<std::less, kName>(ctx, tfi.make({2}, {1, 5}),
                                                    tf.make({1}, {2.5f}), truth);
  EXPECT_TENSOR_EQ(truth, tfb.make({2}, {1, 0}));
  internal::comparison_scalar_out<std::greater_equal, kName>(ctx, tfi.make({2}, {1, 5}), 4.5,
                                                             truth);
  EXPECT_TENSOR_EQ(truth, tfb.make({2}, {0, 1}));
  internal::logical_tensor_out<kName>([](bool a, bool b) { return a != b; }, ctx,
                                      tf.make({2}, {0.5f, 0}), tfi.make({2}, {2, 0}), truth);
  EXPECT_TENSOR_EQ(truth, tfb.make({2}, {0, 0}));
  Tensor bits = tfi.zeros({2});
  internal::bitwise_tensor_out<std::bit_xor, kName>(ctx, tfi.make({2}, {6, 5}),
                                                    tfi.make({2}, {3, 5}), bits);
  EXPECT_TENSOR_EQ(bits, tfi.make({2}, {5, 0}));
  internal::bitwise_scalar_out<std::bit_and, kName>(ctx, tfi.make({2}, {6, 5}), 4, bits);
  EXPECT_TENSOR_EQ(bits, tfi.make({2}, {4, 4}));
  Tensor out = tf.zeros({2});
  my_sqrt_out(ctx, tfi.make({2}, {4, 9}), out);
  EXPECT_TENSOR_EQ(out, tf.make({2}, {2, 3}));
  my_ceil_out(ctx, tf.make({2}, {1.5f, -0.5f}), out);
  EXPECT_TENSOR_EQ(out, tf.make({2}, {2, -0.0f}));
  my_isinf_out(ctx, tf.make({2}, {INFINITY, 1}), truth);
  EXPECT_TENSOR_EQ(truth, tfb.make({2}, {1, 0}));
  EXPECT_EQ(ctx.failure_state(), Error::Ok);
}

TEST_F(ElementwiseUtilTest, ScalarsArePromotedAsInEager) {
  EXPECT_EQ(utils::get_scalar_dtype(true), ScalarType::Bool);
  EXPECT_EQ(utils::get_scalar_dtype(2), ScalarType::Long);
  EXPECT_EQ(utils::get_scalar_dtype(2.5), ScalarType::Double);
  EXPECT_EQ(utils::promote_type_with_scalar(ScalarType::Int, 2.5), ScalarType::Float);
  EXPECT_EQ(utils::promote_type_with_scalar(ScalarType::Byte, 2), ScalarType::Byte);
  EXPECT_EQ(utils::promote_type_with_scalar(ScalarType::Bool, 2), ScalarType::Long);
  EXPECT_EQ(utils::promote_type_with_scalar(ScalarType::Half, 2), ScalarType::Half);
  EXPECT_EQ(utils::promote_type_with_scalar(ScalarType::Half, 2, true), ScalarType::Float);
  static_assert(std::is_same_v<utils::promote_type_with_scalar_type<int32_t, double>::type, float>);
  static_assert(std::is_same_v<utils::promote_type_with_scalar_type<bool, int64_t>::type, int64_t>);
  EXPECT_EQ(utils::scalar_to<float>(3), 3.0f);
  EXPECT_EQ(utils::check_overflow_scalar_cast<int8_t>(127), std::optional<int8_t>(127));
  EXPECT_EQ(utils::check_overflow_scalar_cast<int8_t>(128), std::nullopt);
}

TEST_F(ElementwiseUtilTest, ArithmeticIsThatOfEager) {
  EXPECT_EQ(utils::floor_divide(-7, 2), -4);
  EXPECT_EQ(utils::floor_divide<int32_t>(std::numeric_limits<int32_t>::min(), -1),
            std::numeric_limits<int32_t>::min());
  EXPECT_EQ(utils::floor_divide(-7.0f, 2.0f), -4.0f);
  EXPECT_EQ(utils::remainder_override(-7, 3), 2);
  EXPECT_EQ(utils::remainder_override<uint8_t>(200, 7), 4);
  EXPECT_TRUE(std::isnan(utils::max_override(1.0f, NAN)));
  EXPECT_TRUE(std::isnan(utils::min_override(NAN, 1.0f)));
  EXPECT_EQ(utils::min_override(3, 2), 2);
  using executorch::aten::Half;
  EXPECT_EQ(static_cast<float>(utils::max_override(Half(2), Half(3))), 3.0f);
  EXPECT_EQ(static_cast<float>(executorch::math::sqrt(Half(4))), 2.0f);
  EXPECT_EQ(executorch::math::exp(0), 1.0f);
  EXPECT_EQ(executorch::math::pow(2.0, 3.0), 8.0);
  EXPECT_EQ(executorch::math::rsqrt(4.0f), 0.5f);
}

TEST_F(ElementwiseUtilTest, LoopsOverArrays) {
  const std::vector<float> x = {1, 5, 2, 7};
  EXPECT_EQ(apply_unary_reduce_fn([](float v, float most) { return v > most ? v : most; }, x.data(),
                                  2, 2),
            2);
  EXPECT_EQ((apply_unary_map_reduce_fn<float, double>(
                [](float v) { return static_cast<double>(v) * v; },
                [](double v, double sum) { return v + sum; }, x.data(), 4)),
            79);
  std::vector<int64_t> doubled(4);
  apply_unary_map_fn([](float v) { return static_cast<int64_t>(v) * 2; }, x.data(), doubled.data(),
                     4);
  EXPECT_EQ(doubled, (std::vector<int64_t>{2, 10, 4, 14}));
  std::vector<float> product(4);
  vec_matmul(product.data(), x.data(), x.data(), 2, 2, 2);
  EXPECT_EQ(product, (std::vector<float>{11, 40, 16, 59}));
  const std::vector<int8_t> weights = {1, 2, 3, 4};
  const std::vector<float> scales = {0.5f, 2};
  std::vector<float> scaled(2);
  vec_quantized_matmul_transb_int8(scaled.data(), x.data(), weights.data(), scales.data(), 1, 2, 2,
                                   2);
  EXPECT_EQ(scaled, (std::vector<float>{5.5f, 46}));
  vec_softmax(scaled.data(), x.data() + 1, 1);
  EXPECT_EQ(scaled[0], 1);
}

}  // namespace
}  // namespace torch::executor::native
