/**
 * @file
 * Which dtypes operators take, what they promote to, and what they write to an output of another
 * one; the rules are eager's.
 */

#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/test/FunctionHeaderWrapper.h>
#include <executorch/kernels/test/TestUtil.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

using executorch::aten::ArrayRef;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;
using torch::executor::testing::TensorFactory;
namespace ops = torch::executor::aten;

namespace {

/// An operator that gives floats for any real input, with the C library's function.
struct FloatFunction {
  const char* name;
  Tensor& (*call)(KernelRuntimeContext&, const Tensor&, Tensor&);
  double (*reference)(double);
};

const FloatFunction kFloatFunctions[] = {
    {"acos", ops::acos_outf, std::acos},
    {"acosh", ops::acosh_outf, std::acosh},
    {"asin", ops::asin_outf, std::asin},
    {"asinh", ops::asinh_outf, std::asinh},
    {"atan", ops::atan_outf, std::atan},
    {"cos", ops::cos_outf, std::cos},
    {"cosh", ops::cosh_outf, std::cosh},
    {"erf", ops::erf_outf, std::erf},
    {"exp", ops::exp_outf, std::exp},
    {"expm1", ops::expm1_outf, std::expm1},
    {"log", ops::log_outf, std::log},
    {"log10", ops::log10_outf, std::log10},
    {"log1p", ops::log1p_outf, std::log1p},
    {"log2", ops::log2_outf, std::log2},
    {"reciprocal", ops::reciprocal_outf, [](double x) { return 1 / x; }},
    {"rsqrt", ops::rsqrt_outf, [](double x) { return 1 / std::sqrt(x); }},
    {"sigmoid", ops::sigmoid_outf, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"sin", ops::sin_outf, std::sin},
    {"sinh", ops::sinh_outf, std::sinh},
    {"sqrt", ops::sqrt_outf, std::sqrt},
    {"tan", ops::tan_outf, std::tan},
    {"tanh", ops::tanh_outf, std::tanh},
};

class OpDtypesTest : public OperatorTest {
 protected:
  template <ScalarType IN, ScalarType OUT>
  void expect_float_functions() {
    TensorFactory<IN> tf_in;
    TensorFactory<OUT> tf_out;
    using CTYPE = typename TensorFactory<OUT>::ctype;
    for (const FloatFunction& function : kFloatFunctions) {
      SCOPED_TRACE(function.name);
      Tensor out = tf_out.zeros({2, 3});
      function.call(context_, tf_in.ones({2, 3}), out);
      // Of half types the result is one, too, whatever holds it.
      double expected = function.reference(1.0);
      if constexpr (IN == ScalarType::Half || IN == ScalarType::BFloat16) {
        using Result = typename TensorFactory<IN>::ctype;
        expected = static_cast<float>(Result(static_cast<float>(expected)));
      }
      EXPECT_TENSOR_CLOSE(out, tf_out.full({2, 3}, static_cast<CTYPE>(expected)));
    }
  }

  /// Calls with a context of its own, which must fail.
  template <typename Call>
  void expect_invalid(const char* what, Call call) {
    KernelRuntimeContext context;
    call(context);
    EXPECT_EQ(context.failure_state(), Error::InvalidArgument) << what;
  }
};

TEST_F(OpDtypesTest, FloatFunctionsTakeAllRealTypes) {
#define TEST_ENTRY(ctype, dtype)                                  \
  expect_float_functions<ScalarType::dtype, ScalarType::Float>(); \
  expect_float_functions<ScalarType::dtype, ScalarType::Double>();
  ET_FORALL_REALHBBF16_TYPES(TEST_ENTRY)
#undef TEST_ENTRY
}

TEST_F(OpDtypesTest, FloatFunctionsRoundToHalfTypes) {
  expect_float_functions<ScalarType::Half, ScalarType::Half>();
  expect_float_functions<ScalarType::BFloat16, ScalarType::BFloat16>();
  expect_float_functions<ScalarType::Double, ScalarType::Half>();
  expect_float_functions<ScalarType::Int, ScalarType::BFloat16>();
}

TEST_F(OpDtypesTest, FloatFunctionsDoNotFitIntegers) {
  TensorFactory<ScalarType::Float> tf;
  TensorFactory<ScalarType::Int> tf_int;
  for (const FloatFunction& function : kFloatFunctions) {
    Tensor out = tf_int.zeros({2});
    expect_invalid(function.name, [&](KernelRuntimeContext& context) {
      function.call(context, tf.ones({2}), out);
    });
  }
}

TEST_F(OpDtypesTest, BinaryOperatorsPromote) {
  TensorFactory<ScalarType::Byte> tf_byte;
  TensorFactory<ScalarType::Char> tf_char;
  TensorFactory<ScalarType::Short> tf_short;
  TensorFactory<ScalarType::Half> tf_half;
  TensorFactory<ScalarType::Float> tf;
  const Tensor bytes = tf_byte.make({3}, {1, 200, 3});
  const Tensor chars = tf_char.make({3}, {-2, 2, -7});

  Tensor shorts = tf_short.zeros({3});
  ops::mul_outf(context_, bytes, chars, shorts);
  EXPECT_TENSOR_EQ(shorts, tf_short.make({3}, {-2, 400, -21}));
  ops::minimum_outf(context_, bytes, chars, shorts);
  EXPECT_TENSOR_EQ(shorts, tf_short.make({3}, {-2, 2, -7}));
  ops::remainder_outf(context_, chars, bytes, shorts);
  EXPECT_TENSOR_EQ(shorts, tf_short.make({3}, {0, 2, 2}));
  ops::fmod_outf(context_, chars, bytes, shorts);
  EXPECT_TENSOR_EQ(shorts, tf_short.make({3}, {0, 2, -1}));

  // Integers and halves give halves, which any floats take.
  Tensor out = tf.zeros({3});
  ops::sub_outf(context_, chars, tf_half.full({3}, 0.5f), Scalar(2), out);
  EXPECT_TENSOR_EQ(out, tf.make({3}, {-3, 1, -8}));
}

TEST_F(OpDtypesTest, ResultsThatOutputsCannotHold) {
  TensorFactory<ScalarType::Int> tf_int;
  TensorFactory<ScalarType::Float> tf;
  TensorFactory<ScalarType::Bool> tf_bool;
  const Tensor a = tf.ones({2});
  Tensor ints = tf_int.zeros({2});
  Tensor bools = tf_bool.zeros({2});
  expect_invalid("mul", [&](auto& context) { ops::mul_outf(context, a, a, ints); });
  expect_invalid("sub", [&](auto& context) { ops::sub_outf(context, a, a, Scalar(1), ints); });
  expect_invalid("div", [&](auto& context) { ops::div_outf(context, ints, ints, ints); });
  expect_invalid("pow", [&](auto& context) { ops::pow_outf(context, a, Scalar(2), ints); });
  expect_invalid("minimum", [&](auto& context) { ops::minimum_outf(context, a, a, bools); });
  expect_invalid("bitwise", [&](auto& context) { ops::bitwise_and_outf(context, a, a, ints); });
  expect_invalid("bmm", [&](auto& context) {
    Tensor out = tf_int.zeros({1, 2, 2});
    ops::bmm_outf(context, tf.ones({1, 2, 2}), tf.ones({1, 2, 2}), out);
  });
}

TEST_F(OpDtypesTest, DivisionByRoundingMode) {
  TensorFactory<ScalarType::Int> tf;
  TensorFactory<ScalarType::Float> tf_float;
  const Tensor a = tf.make({4}, {7, -7, 6, -1});
  const Tensor b = tf.full({4}, 2);
  Tensor quotients = tf_float.zeros({4});
  ops::div_outf(context_, a, b, quotients);
  EXPECT_TENSOR_EQ(quotients, tf_float.make({4}, {3.5, -3.5, 3, -0.5}));
  Tensor out = tf.zeros({4});
  ops::div_outf(context_, a, b, std::optional<std::string_view>("trunc"), out);
  EXPECT_TENSOR_EQ(out, tf.make({4}, {3, -3, 3, 0}));
  ops::div_outf(context_, a, b, std::optional<std::string_view>("floor"), out);
  EXPECT_TENSOR_EQ(out, tf.make({4}, {3, -4, 3, -1}));
  expect_invalid("another mode", [&](auto& context) {
    ops::div_outf(context, a, b, std::optional<std::string_view>("nearest"), out);
  });
}

TEST_F(OpDtypesTest, ComparisonsAndLogicWriteAnyType) {
  TensorFactory<ScalarType::Int> tf;
  const Tensor a = tf.make({3}, {0, 2, 3});
  const Tensor b = tf.full({3}, 2);
#define TEST_ENTRY(ctype, dtype)                        \
  {                                                     \
    TensorFactory<ScalarType::dtype> tf_out;            \
    Tensor out = tf_out.zeros({3});                     \
    ops::eq_outf(context_, a, b, out);                  \
    EXPECT_TENSOR_EQ(out, tf_out.make({3}, {0, 1, 0})); \
    ops::ge_outf(context_, a, Scalar(2), out);          \
    EXPECT_TENSOR_EQ(out, tf_out.make({3}, {0, 1, 1})); \
    ops::logical_not_outf(context_, a, out);            \
    EXPECT_TENSOR_EQ(out, tf_out.make({3}, {1, 0, 0})); \
  }
  ET_FORALL_REALHBBF16_TYPES(TEST_ENTRY)
#undef TEST_ENTRY
}

TEST_F(OpDtypesTest, ReductionsSayTheirType) {
  TensorFactory<ScalarType::Char> tf;
  TensorFactory<ScalarType::Long> tf_long;
  TensorFactory<ScalarType::Double> tf_double;
  const Tensor in = tf.make({2, 2}, {100, 100, -3, 4});
  const int64_t dim = 1;
  const std::optional<ArrayRef<int64_t>> dims(ArrayRef<int64_t>(&dim, 1));
  Tensor longs = tf_long.zeros({2});
  ops::prod_outf(context_, in, dim, false, std::nullopt, longs);
  EXPECT_TENSOR_EQ(longs, tf_long.make({2}, {10000, -12}));
  Tensor doubles = tf_double.zeros({2});
  ops::mean_outf(context_, in, dims, false, ScalarType::Double, doubles);
  EXPECT_TENSOR_EQ(doubles, tf_double.make({2}, {100, 0.5}));
  Tensor running = tf_long.zeros({2, 2});
  ops::cumsum_outf(context_, in, 1, ScalarType::Long, running);
  EXPECT_TENSOR_EQ(running, tf_long.make({2, 2}, {100, 200, -3, 1}));
  expect_invalid("the mean of integers",
                 [&](auto& context) { ops::mean_outf(context, in, dims, false, {}, longs); });
  expect_invalid("the variance of integers",
                 [&](auto& context) { ops::var_outf(context, in, dims, true, false, doubles); });
}

TEST_F(OpDtypesTest, IndicesAreIntegers) {
  TensorFactory<ScalarType::Float> tf;
  TensorFactory<ScalarType::Int> tf_int;
  TensorFactory<ScalarType::Long> tf_long;
  const Tensor weight = tf.make({3, 1}, {10, 20, 30});
  Tensor out = tf.zeros({2, 1});
  ops::embedding_outf(context_, weight, tf_int.make({2}, {2, 0}), -1, false, false, out);
  EXPECT_TENSOR_EQ(out, tf.make({2, 1}, {30, 10}));
  ops::gather_outf(context_, weight, 0, tf_long.make({2, 1}, {1, 1}), false, out);
  EXPECT_TENSOR_EQ(out, tf.make({2, 1}, {20, 20}));
  expect_invalid("floats as indices", [&](auto& context) {
    ops::embedding_outf(context, weight, tf.zeros({2}), -1, false, false, out);
  });
  expect_invalid("an index beyond the end", [&](auto& context) {
    ops::gather_outf(context, weight, 0, tf_long.make({2, 1}, {1, 3}), false, out);
  });
  expect_invalid("an output of another type", [&](auto& context) {
    Tensor other = tf_int.zeros({2, 1});
    ops::embedding_outf(context, weight, tf_long.zeros({2}), -1, false, false, other);
  });
}

}  // namespace
