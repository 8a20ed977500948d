// Kernels as users write them, with the checks and switches of the documents, registered for
// operators of their own and tested with the utilities that kernels are tested with.
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>
#include <executorch/kernels/test/TestUtil.h>
#include <executorch/kernels/test/supported_features.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/kernel/operator_registry.h>

namespace custom {
namespace native {

using executorch::aten::ArrayRef;
using executorch::aten::IntArrayRef;
using executorch::aten::OptionalArrayRef;
using executorch::aten::RuntimeContext;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::string_view;
using executorch::aten::Tensor;
using executorch::aten::TensorList;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::resize_tensor;
using executorch::runtime::tensors_have_same_dtype;
using std::optional;

namespace {

bool check_scaled_args(const Tensor& in, int64_t repeats, const Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_dim_order(in, out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(repeats > 0, "repeats is %" PRId64, repeats);
  ET_CHECK_OR_RETURN_FALSE(in.dim() <= 4,
                           "rank %" ET_PRI_TENSOR_DIM " of %" ET_PRI_TENSOR_NUMEL " elements",
                           in.dim(), in.numel());
  return true;
}

}  // namespace

/// out = in * factor, `repeats` times.
Tensor& scaled_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& factor,
                   int64_t repeats, Tensor& out) {
  ET_KERNEL_CHECK(ctx, check_scaled_args(in, repeats, out), InvalidArgument, out);
  ET_KERNEL_CHECK_MSG(ctx, resize_tensor(out, in.sizes()) == Error::Ok, InvalidArgument, out,
                      "Failed to resize output of %zd elements", in.numel());
  constexpr auto name = "custom::scaled.out";
  ET_SWITCH_REALHBF16_TYPES(in.scalar_type(), ctx, name, CTYPE, [&]() {
    const CTYPE* from = in.const_data_ptr<CTYPE>();
    CTYPE* to = out.mutable_data_ptr<CTYPE>();
    double by = 0;
    ET_KERNEL_CHECK(ctx, executorch::runtime::extract_scalar(factor, &by), InvalidArgument, );
    for (ssize_t i = 0; i < in.numel(); ++i) {
      double value = static_cast<double>(from[i]);
      for (int64_t k = 0; k < repeats; ++k) {
        value *= by;
      }
      to[i] = static_cast<CTYPE>(value);
    }
  });
  return out;
}

/// Every kind of argument that an operator's schema can have, and a context that is not wanted.
Tensor& everything_out(const Tensor& self, const optional<Tensor>& mask, TensorList others,
                       ArrayRef<optional<Tensor>> indices, IntArrayRef sizes,
                       OptionalArrayRef<int64_t> dims, optional<int64_t> axis, double alpha,
                       bool keep, optional<ScalarType> dtype, string_view mode, Tensor& out) {
  float* to = out.mutable_data_ptr<float>();
  to[0] = self.const_data_ptr<float>()[0];
  to[1] = mask.has_value() ? 1.0f : 0.0f;
  to[2] = static_cast<float>(others.size());
  to[3] = static_cast<float>(indices.size()) + (indices[0].has_value() ? 0.5f : 0.0f);
  to[4] = static_cast<float>(sizes.size());
  to[5] = dims.has_value() ? static_cast<float>(dims.value()[0]) : -1.0f;
  to[6] = static_cast<float>(axis.value_or(-1));
  to[7] = static_cast<float>(alpha);
  to[8] = keep ? 1.0f : 0.0f;
  to[9] = dtype.has_value() ? static_cast<float>(dtype.value()) : -1.0f;
  to[10] = static_cast<float>(mode.size());
  return out;
}

/// Two outputs.
std::tuple<Tensor&, Tensor&> halves_out(RuntimeContext& ctx, const Tensor& in, Tensor& whole,
                                        Tensor& rest) {
  (void)ctx;
  ET_SWITCH_FLOAT_TYPES_AND3(
      Half, BFloat16, Int, in.scalar_type(), ctx, "custom::halves.out", CTYPE, [&] {
        for (ssize_t i = 0; i < in.numel(); ++i) {
          const float value = static_cast<float>(in.const_data_ptr<CTYPE>()[i]);
          whole.mutable_data_ptr<float>()[i] = std::floor(value);
          rest.mutable_data_ptr<float>()[i] = value - std::floor(value);
        }
      });
  return {whole, rest};
}

EXECUTORCH_LIBRARY(custom, "scaled.out", scaled_out);
EXECUTORCH_LIBRARY(custom, "everything.out", everything_out);
EXECUTORCH_LIBRARY(custom, "halves.out", halves_out);

}  // namespace native
}  // namespace custom

namespace {

using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorShapeDynamism;
using executorch::runtime::BoxedEvalueList;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Kernel;
using executorch::runtime::KernelKey;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::Span;
using torch::executor::testing::TensorFactory;
using torch::executor::testing::TensorListFactory;

class OpScaledOutTest : public OperatorTest {
 protected:
  Tensor& op_scaled_out(const Tensor& in, const Scalar& factor, int64_t repeats, Tensor& out) {
    return custom::native::scaled_out(context_, in, factor, repeats, out);
  }

  template <ScalarType DTYPE>
  void test_dtype() {
    TensorFactory<DTYPE> tf;
    Tensor out = tf.zeros({2, 2});
    Tensor& ret = op_scaled_out(tf.make({2, 2}, {1, 2, 3, 4}), Scalar(2), 2, out);
    EXPECT_TENSOR_EQ(out, tf.make({2, 2}, {4, 8, 12, 16}));
    EXPECT_TENSOR_EQ(out, ret);
  }
};

TEST_F(OpScaledOutTest, AllDtypesSupported) {
#define TEST_ENTRY(ctype, dtype) test_dtype<ScalarType::dtype>();
  ET_FORALL_REALHBF16_TYPES(TEST_ENTRY);
#undef TEST_ENTRY
}

TEST_F(OpScaledOutTest, WrongOutputDtypeFails) {
  TensorFactory<ScalarType::Float> tf;
  TensorFactory<ScalarType::Int> tf_int;
  Tensor out = tf_int.zeros({2});
  ET_EXPECT_KERNEL_FAILURE(context_, op_scaled_out(tf.ones({2}), 1.5, 1, out));
}

TEST_F(OpScaledOutTest, UnsupportedDtypeFails) {
  TensorFactory<ScalarType::ComplexFloat> tf;
  Tensor out = tf.zeros({2});
  ET_EXPECT_KERNEL_FAILURE_WITH_MSG(context_, op_scaled_out(tf.ones({2}), 1.5, 1, out), "dtype");
}

TEST_F(OpScaledOutTest, WrongArgumentFails) {
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({2});
  ET_EXPECT_KERNEL_FAILURE(context_, op_scaled_out(tf.ones({2}), 1.5, 0, out));
}

TEST_F(OpScaledOutTest, DynamicOutputIsResized) {
  ET_SKIP_IF(torch::executor::testing::SupportedFeatures::get()->is_aten, "ATen resizes anyway");
  TensorFactory<ScalarType::Double> tf;
  Tensor out = tf.zeros({3, 4}, TensorShapeDynamism::DYNAMIC_BOUND);
  op_scaled_out(tf.make({2, 3}, {1, 2, 3, 4, 5, 6}), 0.5, 1, out);
  EXPECT_TENSOR_CLOSE(out, tf.make({2, 3}, {0.5, 1, 1.5, 2, 2.5, 3}));
}

TEST_F(OpScaledOutTest, EveryDimOrderIsTaken) {
  TensorFactory<ScalarType::Float> tf;
  const auto op_twice_out = [this](const Tensor& in, Tensor& out) {
    op_scaled_out(in, Scalar(2), 1, out);
  };
  std::vector<float> values(2 * 3 * 1 * 5);
  std::iota(values.begin(), values.end(), 1.0f);
  const Tensor in = tf.make({2, 3, 1, 5}, values);
  std::transform(values.begin(), values.end(), values.begin(), [](float x) { return 2 * x; });
  const Tensor expected = tf.make({2, 3, 1, 5}, values);
  ET_TEST_OP_SUPPORTS_MEMORY_FORMATS(tf, op_twice_out, in, expected,
                                     /*channels_last_support=*/true);
}

TEST_F(OpScaledOutTest, FeaturesAreSetByALibrary) {
  auto* features = torch::executor::testing::SupportedFeatures::get();
  features->output_resize = true;
  EXPECT_TRUE(torch::executor::testing::SupportedFeatures::get()->output_resize);
  features->output_resize = false;
  ET_EXPECT_DEATH(ET_CHECK_MSG(features->is_aten, "not ATen's"), "not ATen's");
}

TEST_F(OpScaledOutTest, StaticOutputOfAnotherShapeFails) {
  TensorFactory<ScalarType::Double> tf;
  Tensor out = tf.zeros({3, 4});
  ET_EXPECT_KERNEL_FAILURE(context_, op_scaled_out(tf.ones({2, 3}), 0.5, 1, out));
}

/// Calls a registered kernel as the executor does.
void call(const char* name, KernelRuntimeContext& context, std::vector<EValue> values) {
  ASSERT_TRUE(executorch::runtime::registry_has_op_function(name)) << name;
  auto function = executorch::runtime::get_op_function_from_registry(name);
  ASSERT_TRUE(function.ok()) << name;
  std::vector<EValue*> stack;
  for (EValue& value : values) {
    stack.push_back(&value);
  }
  (*function)(context, Span<EValue*>(stack.data(), stack.size()));
}

class RegisteredKernelTest : public OperatorTest {};

TEST_F(RegisteredKernelTest, ScaledIsCalledThroughTheRegistry) {
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({2});
  call("custom::scaled.out", context_,
       {EValue(tf.make({2}, {1, 2})), EValue(3.0), EValue(int64_t{2}), EValue(out), EValue(out)});
  EXPECT_TENSOR_EQ(out, tf.make({2}, {9, 18}));
  EXPECT_TRUE(torch::executor::hasOpsFn("custom::scaled.out"));
  EXPECT_FALSE(torch::executor::hasOpsFn("custom::missing.out"));
  EXPECT_NE(torch::executor::getOpsFn("custom::scaled.out"), nullptr);
  EXPECT_GE(torch::executor::get_kernels().size(), 3u);
}

TEST_F(RegisteredKernelTest, EveryKindOfArgumentArrives) {
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({11});
  EValue tensor(tf.full({1}, 5));
  EValue none;
  EValue* tensors[] = {&tensor, &tensor};
  Tensor unwrapped_tensors[] = {tensor.toTensor(), tensor.toTensor()};
  BoxedEvalueList<Tensor> tensor_list(tensors, unwrapped_tensors, 2);
  EValue* optionals[] = {&tensor, &none, &none};
  std::optional<Tensor> unwrapped_optionals[3];
  BoxedEvalueList<std::optional<Tensor>> optional_list(optionals, unwrapped_optionals, 3);
  EValue four(int64_t{4});
  EValue* ints[] = {&four};
  int64_t unwrapped_ints[1];
  BoxedEvalueList<int64_t> int_list(ints, unwrapped_ints, 1);
  const char text[] = "bilinear";
  executorch::aten::ArrayRef<char> mode(text, sizeof(text) - 1);
  call("custom::everything.out", context_,
       {tensor, none, EValue(&tensor_list), EValue(&optional_list), EValue(&int_list),
        EValue(&int_list), EValue(int64_t{7}), EValue(0.25), EValue(true),
        EValue(static_cast<int64_t>(ScalarType::Int)), EValue(&mode), EValue(out), EValue(out)});
  EXPECT_TENSOR_EQ(out, tf.make({11}, {5, 0, 2, 3.5, 1, 4, 7, 0.25, 1, 3, 8}));
}

TEST_F(RegisteredKernelTest, KernelsMayHaveTwoOutputs) {
  TensorFactory<ScalarType::Half> tf_half;
  TensorFactory<ScalarType::Float> tf;
  Tensor whole = tf.zeros({2});
  Tensor rest = tf.zeros({2});
  custom::native::halves_out(context_, tf_half.make({2}, {1.5, -0.25}), whole, rest);
  EXPECT_TENSOR_EQ(whole, tf.make({2}, {1, -1}));
  EXPECT_TENSOR_EQ(rest, tf.make({2}, {0.5, 0.75}));
}

TEST_F(RegisteredKernelTest, ListsOfKernelsAreRegisteredByHand) {
  const auto nothing = [](KernelRuntimeContext&, Span<EValue*>) {};
  static Kernel kernels[] = {
      Kernel("custom::by_hand.out", nothing),
      Kernel("custom::by_hand.out", KernelKey("v1/6;0,1"), nothing),
  };
  EXPECT_EQ(executorch::runtime::register_kernels({kernels, 2}), Error::Ok);
  static const Kernel more[] = {executorch::extension::make_boxed_kernel(
      "custom::scaled_again.out", EXECUTORCH_FN(custom::native::scaled_out))};
  EXPECT_EQ(torch::executor::register_kernels(executorch::aten::ArrayRef<Kernel>(more)), Error::Ok);
  EXPECT_TRUE(executorch::runtime::registry_has_op_function("custom::by_hand.out"));
  EXPECT_TRUE(executorch::runtime::registry_has_op_function("custom::scaled_again.out"));
  EXPECT_EQ(executorch::runtime::get_op_function_from_registry("custom::missing.out").error(),
            Error::OperatorMissing);
}

/// Makes a tensor of every dtype that a program can have.
template <ScalarType DTYPE>
void check_factory() {
  TensorFactory<DTYPE> tf;
  EXPECT_TENSOR_EQ(tf.ones({2, 3}), tf.full({2, 3}, typename TensorFactory<DTYPE>::ctype(1)));
  EXPECT_TENSOR_NE(tf.ones({2, 3}), tf.zeros({2, 3}));
  EXPECT_TENSOR_NE(tf.ones({2, 3}), tf.ones({3, 2}));
  EXPECT_TENSOR_DATA_EQ(tf.ones({2, 3}), tf.ones({3, 2}));
  EXPECT_TENSOR_EQ(tf.zeros_like(tf.ones({4})), tf.zeros({4}));
  const Tensor image = tf.zeros({1, 2, 2, 2});
  const Tensor last = tf.channels_last_like(image);
  EXPECT_TENSOR_EQ(last, tf.zeros_channels_last({1, 2, 2, 2}));
  EXPECT_EQ(last.dim_order()[1], 2);
}

TEST(TensorFactoryUsage, EveryDtypeCanBeMade) {
#define TEST_ENTRY(ctype, dtype) check_factory<ScalarType::dtype>();
  ET_FORALL_REALHBBF16_TYPES(TEST_ENTRY);
  ET_FORALL_UINT_TYPES(TEST_ENTRY);
  ET_FORALL_COMPLEX_TYPES(TEST_ENTRY);
#undef TEST_ENTRY
}

TEST(TensorFactoryUsage, ListsAndMatchersAgree) {
  TensorFactory<ScalarType::Float> tf;
  TensorListFactory<ScalarType::Float> tlf;
  const std::vector<Tensor> shapes = {tf.zeros({2}), tf.zeros({1, 3})};
  EXPECT_TENSOR_LISTS_EQ(tlf.ones_like(shapes), tlf.full_like(shapes, 1.0f));
  EXPECT_TENSOR_LISTS_NE(tlf.ones_like(shapes), tlf.zeros_like(shapes));
  const Tensor ones = tf.ones({2});
  const Tensor nearly = tf.full({2}, 1.0f + 1e-6f);
  EXPECT_TENSOR_NE(ones, nearly);
  EXPECT_TENSOR_CLOSE(ones, nearly);
  EXPECT_TENSOR_CLOSE_WITH_TOL(ones, tf.full({2}, 1.2f), 0.0, 0.25);
  EXPECT_TENSOR_NOT_CLOSE(ones, tf.full({2}, 1.2f));
  EXPECT_THAT(ones, executorch::runtime::testing::IsCloseTo(nearly));
  EXPECT_THAT(ones, ::testing::Not(executorch::runtime::testing::IsEqualTo(nearly)));
  EXPECT_TENSOR_EQ(tf.full({1}, NAN), tf.full({1}, NAN));
}

}  // namespace
