/**
 * @file
 * What holds for every pointwise operator: values, promotion, broadcasting, resizing of dynamic
 * outputs, and failure on outputs of a wrong type or shape.
 */

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/test/BinaryLogicalOpTest.h>
#include <executorch/kernels/test/FunctionHeaderWrapper.h>
#include <executorch/kernels/test/TestUtil.h>
#include <executorch/kernels/test/UnaryUfuncRealHBBF16ToFloatHBF16Test.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorShapeDynamism;
using executorch::runtime::KernelRuntimeContext;
using torch::executor::testing::TensorFactory;

namespace aten = torch::executor::aten;

namespace {

using Floats = TensorFactory<ScalarType::Float>;
using Ints = TensorFactory<ScalarType::Int>;
using Bools = TensorFactory<ScalarType::Bool>;

// ---- One input, a floating-point result
// --------------------------------------------------------------------

struct FloatUnary {
  const char* name;
  Tensor& (*op)(KernelRuntimeContext&, const Tensor&, Tensor&);
  double (*reference)(double);
};

std::ostream& operator<<(std::ostream& out, const FloatUnary& op) { return out << op.name; }

class FloatUnaryTest : public torch::executor::testing::UnaryUfuncRealHBBF16ToFloatHBF16Test,
                       public ::testing::WithParamInterface<FloatUnary> {
 protected:
  Tensor& op_out(const Tensor& self, Tensor& out) override {
    return GetParam().op(context_, self, out);
  }
  double op_reference(double x) const override { return GetParam().reference(x); }
};

ET_INTERNAL_FLOAT_UNARY_TESTS(TEST_P, FloatUnaryTest)

INSTANTIATE_TEST_SUITE_P(
    Ops, FloatUnaryTest,
    ::testing::Values(
        FloatUnary{"acos", aten::acos_outf, std::acos},
        FloatUnary{"acosh", aten::acosh_outf, std::acosh},
        FloatUnary{"asin", aten::asin_outf, std::asin},
        FloatUnary{"asinh", aten::asinh_outf, std::asinh},
        FloatUnary{"atan", aten::atan_outf, std::atan},
        FloatUnary{"atanh", aten::atanh_outf, std::atanh},
        FloatUnary{"cos", aten::cos_outf, std::cos}, FloatUnary{"cosh", aten::cosh_outf, std::cosh},
        FloatUnary{"erf", aten::erf_outf, std::erf}, FloatUnary{"exp", aten::exp_outf, std::exp},
        FloatUnary{"expm1", aten::expm1_outf, std::expm1},
        FloatUnary{"log", aten::log_outf, std::log},
        FloatUnary{"log10", aten::log10_outf, std::log10},
        FloatUnary{"log1p", aten::log1p_outf, std::log1p},
        FloatUnary{"log2", aten::log2_outf, std::log2},
        FloatUnary{"reciprocal", aten::reciprocal_outf, [](double x) { return 1 / x; }},
        FloatUnary{"rsqrt", aten::rsqrt_outf, [](double x) { return 1 / std::sqrt(x); }},
        FloatUnary{"sigmoid", aten::sigmoid_outf, [](double x) { return 1 / (1 + std::exp(-x)); }},
        FloatUnary{"sin", aten::sin_outf, std::sin}, FloatUnary{"sinh", aten::sinh_outf, std::sinh},
        FloatUnary{"sqrt", aten::sqrt_outf, std::sqrt}, FloatUnary{"tan", aten::tan_outf, std::tan},
        FloatUnary{"tanh", aten::tanh_outf, std::tanh}),
    [](const auto& info) { return std::string(info.param.name); });

// ---- Two inputs
// --------------------------------------------------------------------------------------------

struct Binary {
  const char* name;
  Tensor& (*op)(KernelRuntimeContext&, const Tensor&, const Tensor&, Tensor&);
  double (*reference)(double, double);
  bool is_predicate;
};

std::ostream& operator<<(std::ostream& out, const Binary& op) { return out << op.name; }

class BinaryTest : public OperatorTest, public ::testing::WithParamInterface<Binary> {
 protected:
  template <ScalarType kType>
  void check() {
    TensorFactory<kType> tf;
    using ctype = typename TensorFactory<kType>::ctype;
    const std::vector<ctype> a = {1, 4, 9, 2};
    const std::vector<ctype> b = {2, 2, 4, 2};
    std::vector<ctype> expected;
    // Integers that do not fit wrap around, which the conversion of a double does not.
    using Wide = std::conditional_t<std::is_integral_v<ctype>, int64_t, ctype>;
    for (size_t i = 0; i < a.size(); ++i) {
      expected.push_back(static_cast<ctype>(static_cast<Wide>(
          GetParam().reference(static_cast<double>(a[i]), static_cast<double>(b[i])))));
    }
    Tensor out = tf.zeros({4});
    GetParam().op(context_, tf.make({4}, a), tf.make({4}, b), out);
    EXPECT_TENSOR_CLOSE_WITH_TOL(out, tf.make({4}, expected), 1e-2, 1e-2);
  }
};

TEST_P(BinaryTest, ValuesOfEachType) {
  check<ScalarType::Float>();
  check<ScalarType::Double>();
  check<ScalarType::Half>();
  check<ScalarType::BFloat16>();
  if (std::string(GetParam().name) != "div" && std::string(GetParam().name) != "atan2") {
    check<ScalarType::Int>();
    check<ScalarType::Long>();
    check<ScalarType::Short>();
    check<ScalarType::Char>();
    check<ScalarType::Byte>();
  }
}

TEST_P(BinaryTest, InputsBroadcast) {
  Floats tf;
  std::vector<float> expected;
  for (const float a : {1.f, 5.f}) {
    for (const float b : {2.f, 3.f, 5.f}) {
      expected.push_back(static_cast<float>(GetParam().reference(a, b)));
    }
  }
  Tensor out = tf.zeros({2, 3});
  GetParam().op(context_, tf.make({2, 1}, {1, 5}), tf.make({3}, {2, 3, 5}), out);
  EXPECT_TENSOR_CLOSE(out, tf.make({2, 3}, expected));
}

TEST_P(BinaryTest, TypesPromote) {
  Floats tf;
  Tensor out = tf.zeros({2});
  GetParam().op(context_, Ints().make({2}, {4, 5}), tf.full({2}, 2.5f), out);
  EXPECT_TENSOR_CLOSE(out, tf.make({2}, {static_cast<float>(GetParam().reference(4, 2.5)),
                                         static_cast<float>(GetParam().reference(5, 2.5))}));
}

TEST_P(BinaryTest, ShapesThatDoNotBroadcastFail) {
  Floats tf;
  Tensor out = tf.zeros({2});
  ET_EXPECT_KERNEL_FAILURE(context_, GetParam().op(context_, tf.ones({2}), tf.ones({3}), out));
}

TEST_P(BinaryTest, AStaticOutputOfAnotherShapeFails) {
  Floats tf;
  Tensor out = tf.zeros({2, 3});
  ET_EXPECT_KERNEL_FAILURE(context_, GetParam().op(context_, tf.ones({2}), tf.ones({2}), out));
}

TEST_P(BinaryTest, ADynamicOutputIsResizedWithinItsBound) {
  Floats tf;
  Tensor out = tf.zeros({10, 10}, TensorShapeDynamism::DYNAMIC_BOUND);
  GetParam().op(context_, tf.full({3, 2}, 3), tf.full({2}, 2), out);
  EXPECT_TENSOR_CLOSE(out, tf.full({3, 2}, static_cast<float>(GetParam().reference(3, 2))));
}

TEST_P(BinaryTest, PredicatesGoIntoABoolAndNumbersNotIntoASmallerKind) {
  Floats floats;
  Ints ints;
  Bools bools;
  const Tensor a = floats.make({2}, {1, 3});
  const Tensor b = ints.make({2}, {1, 2});
  if (GetParam().is_predicate) {
    Tensor out = bools.zeros({2});
    GetParam().op(context_, a, b, out);
    EXPECT_TENSOR_EQ(
        out, bools.make({2}, {GetParam().reference(1, 1) != 0, GetParam().reference(3, 2) != 0}));
  } else {
    Tensor out = ints.zeros({2});
    ET_EXPECT_KERNEL_FAILURE(context_, GetParam().op(context_, a, b, out));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ops, BinaryTest,
    ::testing::Values(
        Binary{"atan2", aten::atan2_outf, std::atan2, false},
        Binary{"div", aten::div_outf, [](double a, double b) { return a / b; }, false},
        Binary{"eq", aten::eq_outf, [](double a, double b) { return double(a == b); }, true},
        Binary{"floor_divide", aten::floor_divide_outf,
               [](double a, double b) { return std::floor(a / b); }, false},
        Binary{"fmod", aten::fmod_outf, std::fmod, false},
        Binary{"ge", aten::ge_outf, [](double a, double b) { return double(a >= b); }, true},
        Binary{"gt", aten::gt_outf, [](double a, double b) { return double(a > b); }, true},
        Binary{"le", aten::le_outf, [](double a, double b) { return double(a <= b); }, true},
        Binary{"logical_and", aten::logical_and_outf,
               [](double a, double b) { return double(a != 0 && b != 0); }, true},
        Binary{"logical_or", aten::logical_or_outf,
               [](double a, double b) { return double(a != 0 || b != 0); }, true},
        Binary{"logical_xor", aten::logical_xor_outf,
               [](double a, double b) { return double((a != 0) != (b != 0)); }, true},
        Binary{"lt", aten::lt_outf, [](double a, double b) { return double(a < b); }, true},
        Binary{"maximum", aten::maximum_outf, [](double a, double b) { return std::max(a, b); },
               false},
        Binary{"minimum", aten::minimum_outf, [](double a, double b) { return std::min(a, b); },
               false},
        Binary{"mul", aten::mul_outf, [](double a, double b) { return a * b; }, false},
        Binary{"ne", aten::ne_outf, [](double a, double b) { return double(a != b); }, true},
        Binary{"pow", aten::pow_outf, [](double a, double b) { return std::pow(a, b); }, false},
        Binary{"remainder", aten::remainder_outf, std::fmod, false}),
    [](const auto& info) { return std::string(info.param.name); });

// ---- One operator, as kernel libraries outside test theirs
// ----------------------------------------------------------------------------

class OpCosTest : public torch::executor::testing::UnaryUfuncRealHBBF16ToFloatHBF16Test {
 protected:
  Tensor& op_out(const Tensor& self, Tensor& out) override {
    return aten::cos_outf(context_, self, out);
  }
  double op_reference(double x) const override { return std::cos(x); }
  torch::executor::testing::SupportedFeatures* get_supported_features() const override;
};

IMPLEMENT_UNARY_UFUNC_REALHB_TO_FLOATH_TEST(OpCosTest)

#define LOGICAL_TEST(SUITE, OP, REFERENCE)                                       \
  class SUITE : public torch::executor::testing::BinaryLogicalOpTest {           \
   protected:                                                                    \
    Tensor& op_out(const Tensor& lhs, const Tensor& rhs, Tensor& out) override { \
      return OP(context_, lhs, rhs, out);                                        \
    }                                                                            \
    double op_reference(double x, double y) const override { return REFERENCE; } \
  };                                                                             \
  IMPLEMENT_BINARY_LOGICAL_OP_TEST(SUITE)

LOGICAL_TEST(OpLogicalAndTest, aten::logical_and_outf, x != 0 && y != 0)
LOGICAL_TEST(OpLogicalOrTest, aten::logical_or_outf, x != 0 || y != 0)
LOGICAL_TEST(OpLogicalXorTest, aten::logical_xor_outf, (x != 0) != (y != 0))
#undef LOGICAL_TEST

}  // namespace
