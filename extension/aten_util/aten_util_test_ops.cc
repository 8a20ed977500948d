/**
 * @file
 * Operators that aten_util_test.py builds for PyTorch, the way a user would.
 */

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include <executorch/extension/aten_util/aten_bridge.h>
#include <executorch/extension/aten_util/make_aten_functor_from_et_functor.h>
#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/kernel/operator_registry.h>

namespace {

using executorch::aten::ArrayRef;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;

Tensor& mul3_out(const Tensor& input, Tensor& out) {
  for (ssize_t i = 0; i < input.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] = 3 * input.const_data_ptr<float>()[i];
  }
  return out;
}

Tensor& custom_linear_out(const Tensor& weight, const Tensor& input, std::optional<Tensor> bias,
                          Tensor& out) {
  for (ssize_t row = 0; row < input.size(0); ++row) {
    for (ssize_t column = 0; column < weight.size(0); ++column) {
      float sum = bias.has_value() ? bias->const_data_ptr<float>()[column] : 0;
      for (ssize_t k = 0; k < input.size(1); ++k) {
        sum += input.const_data_ptr<float>()[row * input.size(1) + k] *
               weight.const_data_ptr<float>()[column * input.size(1) + k];
      }
      out.mutable_data_ptr<float>()[row * weight.size(0) + column] = sum;
    }
  }
  return out;
}

// Every kind of argument. Writes two numbers, whatever the output had room for.
Tensor& sizes_out(KernelRuntimeContext& context, ArrayRef<Tensor> tensors, int64_t number,
                  double real, bool flag, const Scalar& scalar, ArrayRef<int64_t> list,
                  std::optional<ScalarType> dtype, std::string_view text,
                  std::optional<ArrayRef<int64_t>> more, Tensor& out) {
  if (scalar.to<int64_t>() < 0) {
    context.fail(Error::InvalidArgument);
    return out;
  }
  const SizesType two = 2;
  const Error error = executorch::runtime::resize_tensor(out, ArrayRef<SizesType>(&two, 1));
  if (error != Error::Ok || !context.allocate_temp(16).ok()) {
    context.fail(Error::NotSupported);
    return out;
  }
  out.mutable_data_ptr<float>()[0] = static_cast<float>(tensors.size() + list.size() + text.size() +
                                                        (more.has_value() ? more->size() : 0) +
                                                        (dtype == ScalarType::Half ? 100 : 0));
  out.mutable_data_ptr<float>()[1] = static_cast<float>(
      static_cast<double>(number) + real + (flag ? 1 : 0) + tensors[0].const_data_ptr<float>()[0]);
  return out;
}

std::tuple<Tensor&, Tensor&> minmax_out(const Tensor& input, Tensor& low, Tensor& high) {
  float* const minimum = low.mutable_data_ptr<float>();
  float* const maximum = high.mutable_data_ptr<float>();
  *minimum = *maximum = input.const_data_ptr<float>()[0];
  for (ssize_t i = 1; i < input.numel(); ++i) {
    const float value = input.const_data_ptr<float>()[i];
    *minimum = value < *minimum ? value : *minimum;
    *maximum = value > *maximum ? value : *maximum;
  }
  return {low, high};
}

EXECUTORCH_LIBRARY(et_aten_util_test, "mul3.out", mul3_out);

at::Tensor mul3(const at::Tensor& input) {
  at::Tensor out = at::empty_like(input);
  return WRAP_TO_ATEN(mul3_out, 1)(input, out);
}

// Both kinds of tensor over the same memory, through every function of aten_bridge.h. A contiguous
// one ends over zeros, whose first element is then written.
at::Tensor through_the_bridge(at::Tensor tensor) {
  const auto aliased = executorch::extension::alias_tensor_ptr_to_attensor(tensor);
  auto copy = executorch::extension::clone_tensor_ptr(aliased);
  copy->mutable_data_ptr<float>()[0] = 40;
  at::Tensor other = at::zeros_like(tensor, at::MemoryFormat::Contiguous);
  if (tensor.is_contiguous()) {
    executorch::extension::alias_etensor_to_attensor(other, *copy);
    copy->mutable_data_ptr<float>()[0] = 42;
  }
  return executorch::extension::alias_attensor_to_etensor(copy).clone();
}

bool is_registered() {
  return executorch::runtime::registry_has_op_function("et_aten_util_test::mul3.out");
}

}  // namespace

TORCH_LIBRARY(et_aten_util_test, m) {
  m.def("mul3(Tensor input) -> Tensor", mul3);
  m.def("mul3.out(Tensor input, *, Tensor(a!) out) -> Tensor(a!)", WRAP_TO_ATEN(mul3_out, 1));
  m.def(
      "custom_linear.out(Tensor weight, Tensor input, Tensor? bias, *, Tensor(a!) out)"
      " -> Tensor(a!)",
      WRAP_TO_ATEN(custom_linear_out, 3));
  m.def(
      "sizes.out(Tensor[] tensors, int number, float real, bool flag, Scalar scalar, int[] list,"
      " ScalarType? dtype, str text, int[]? more, *, Tensor(a!) out) -> Tensor(a!)",
      WRAP_TO_ATEN(sizes_out, 9));
  m.def("minmax.out(Tensor input, *, Tensor(a!) low, Tensor(b!) high) -> (Tensor(a!), Tensor(b!))",
        WRAP_TO_ATEN(minmax_out, 2));
  m.def("through_the_bridge(Tensor tensor) -> Tensor", through_the_bridge);
  m.def("is_registered() -> bool", is_registered);
}
