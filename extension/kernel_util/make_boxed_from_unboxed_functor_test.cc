#include <optional>
#include <string_view>
#include <type_traits>

#include <gtest/gtest.h>

#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace {

using executorch::aten::ArrayRef;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using runtime::BoxedEvalueList;
using runtime::Error;
using runtime::EValue;
using runtime::KernelRuntimeContext;
using runtime::OpFunction;
using runtime::Result;
using runtime::Span;

Tensor& copy_out(KernelRuntimeContext& /*context*/, const Tensor& a, Tensor& out) {
  out.mutable_data_ptr<int32_t>()[0] = a.const_data_ptr<int32_t>()[0];
  return out;
}

Tensor& no_context_out(const Tensor& a, std::optional<int64_t> n, double factor, bool negate,
                       Tensor& out) {
  const double value =
      a.const_data_ptr<int32_t>()[0] * factor + static_cast<double>(n.value_or(100));
  out.mutable_data_ptr<int32_t>()[0] = static_cast<int32_t>(negate ? -value : value);
  return out;
}

Tensor& sum_list_out(KernelRuntimeContext& /*context*/, ArrayRef<Tensor> list, Tensor& out) {
  int32_t sum = 0;
  for (const Tensor& tensor : list) {
    sum += tensor.const_data_ptr<int32_t>()[0];
  }
  out.mutable_data_ptr<int32_t>()[0] = sum;
  return out;
}

Tensor& fail_out(KernelRuntimeContext& context, const Tensor& /*a*/, Tensor& out) {
  context.fail(Error::NotSupported);
  return out;
}

EXECUTORCH_LIBRARY(my_ns, "copy.out", copy_out);
EXECUTORCH_LIBRARY(my_ns, "no_context.out", no_context_out);
EXECUTORCH_LIBRARY(my_ns, "sum_list.out", sum_list_out);
EXECUTORCH_LIBRARY(my_ns, "fail.out", fail_out);

class MakeBoxedTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  template <size_t N>
  Error call(const char* name, EValue (&values)[N]) {
    const Result<OpFunction> function = runtime::get_op_function_from_registry(name);
    EXPECT_TRUE(function.ok());
    EValue* stack[N];
    for (size_t i = 0; i < N; ++i) {
      stack[i] = &values[i];
    }
    KernelRuntimeContext context;
    (*function)(context, Span<EValue*>(stack, N));
    return context.failure_state();
  }

  TensorPtr in_ = make_tensor_ptr({21});
  TensorPtr out_ = make_tensor_ptr({0});
  int32_t result() const { return out_->const_data_ptr<int32_t>()[0]; }
};

TEST_F(MakeBoxedTest, RegistersUnderNamespaceAndName) {
  EXPECT_TRUE(runtime::registry_has_op_function("my_ns::copy.out"));
  EXPECT_FALSE(runtime::registry_has_op_function("my_ns::copy"));
  EXPECT_FALSE(runtime::registry_has_op_function("copy.out"));
}

// Profilers know what is registered so by its namespace too.
TEST_F(MakeBoxedTest, EventsHaveTheWholeName) {
  size_t found = 0;
  for (const auto& kernel : executorch::runtime::get_registered_kernels()) {
    if (std::string_view(kernel.name_).substr(0, 7) == "my_ns::") {
      EXPECT_TRUE(kernel.written_.has_whole_event_name()) << kernel.name_;
      ++found;
    }
  }
  EXPECT_EQ(found, 4u);
}

TEST_F(MakeBoxedTest, RunsWithAndWithoutASlotForTheResult) {
  EValue values[] = {in_, out_};
  EXPECT_EQ(call("my_ns::copy.out", values), Error::Ok);
  EXPECT_EQ(result(), 21);
  out_->mutable_data_ptr<int32_t>()[0] = 0;
  EValue with_slot[] = {in_, out_, out_};
  EXPECT_EQ(call("my_ns::copy.out", with_slot), Error::Ok);
  EXPECT_EQ(result(), 21);
}

TEST_F(MakeBoxedTest, UnpacksEveryKindOfArgument) {
  EValue values[] = {in_, EValue(), 2.0, true, out_};
  EXPECT_EQ(call("my_ns::no_context.out", values), Error::Ok);
  EXPECT_EQ(result(), -142);
  EValue other[] = {in_, static_cast<int64_t>(1), 2.0, false, out_};
  EXPECT_EQ(call("my_ns::no_context.out", other), Error::Ok);
  EXPECT_EQ(result(), 43);
}

TEST_F(MakeBoxedTest, UnpacksLists) {
  EValue items[] = {in_, in_};
  EValue* wrapped[] = {&items[0], &items[1]};
  std::vector<Tensor> unwrapped(2, *in_);
  BoxedEvalueList<Tensor> list(wrapped, unwrapped.data(), 2);
  EValue values[] = {EValue(&list), out_};
  EXPECT_EQ(call("my_ns::sum_list.out", values), Error::Ok);
  EXPECT_EQ(result(), 42);
}

TEST_F(MakeBoxedTest, WrongCallsFailWithoutReachingTheKernel) {
  EValue too_few[] = {in_};
  EXPECT_NE(call("my_ns::copy.out", too_few), Error::Ok);
  EValue too_many[] = {in_, out_, out_, out_};
  EXPECT_NE(call("my_ns::copy.out", too_many), Error::Ok);
  EValue wrong_type[] = {static_cast<int64_t>(1), out_};
  EXPECT_NE(call("my_ns::copy.out", wrong_type), Error::Ok);
  EXPECT_EQ(result(), 0);
}

TEST_F(MakeBoxedTest, WhatTheKernelReportsComesBack) {
  EValue values[] = {in_, out_};
  EXPECT_EQ(call("my_ns::fail.out", values), Error::NotSupported);
}

TEST(MetaProgrammingTest, SignaturesAreTakenApart) {
  using namespace kernel_util;  // NOLINT
  using Traits = infer_function_traits_t<decltype(EXECUTORCH_FN(copy_out))>;
  static_assert(Traits::number_of_parameters == 3);
  static_assert(std::is_same_v<Traits::return_type, Tensor&>);
  using Parameters = Traits::parameter_types;
  static_assert(typelist::size<Parameters>::value == 3);
  static_assert(std::is_same_v<typelist::element_t<1, Parameters>, const Tensor&>);
  static_assert(
      std::is_same_v<typelist::head_with_default_t<void, Parameters>, KernelRuntimeContext&>);
  static_assert(std::is_same_v<typelist::head_with_default_t<void, typelist::typelist<>>, void>);
  static_assert(
      std::is_same_v<typelist::drop_if_nonempty_t<Parameters, 2>, typelist::typelist<Tensor&>>);
  static_assert(std::is_same_v<typelist::drop_if_nonempty_t<typelist::typelist<int>, 2>,
                               typelist::typelist<>>);
  EXPECT_EQ(decltype(EXECUTORCH_FN(copy_out))::func_ptr(), &copy_out);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
