#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/util/typeid.h>

#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

/// @file
/// Tensors of PyTorch and of the runtime over the same memory. Needs PyTorch's headers and
/// libraries. What does not fit together stops the process with a message, as everywhere in the
/// runtime.

namespace executorch {
namespace extension {

/// The runtime's number for an element type of PyTorch, such as `tensor.dtype()`.
executorch::aten::ScalarType torch_to_executorch_scalar_type(caffe2::TypeMeta type);

/// PyTorch's number for an element type of the runtime.
c10::ScalarType executorch_to_torch_scalar_type(executorch::aten::ScalarType type);

/// Points `et_tensor` at the data of `at_tensor`, which has to have the same element type and
/// sizes, to be contiguous, on the CPU, and to outlive its use.
void alias_etensor_to_attensor(at::Tensor& at_tensor, executorch::aten::Tensor& et_tensor);

/// A PyTorch tensor over the data of `et_tensor`, which has to outlive it. Sizes and strides are
/// copied.
at::Tensor alias_attensor_to_etensor(const executorch::aten::Tensor& et_tensor);
inline at::Tensor alias_attensor_to_etensor(const TensorPtr& et_tensor) {
  return alias_attensor_to_etensor(*et_tensor);
}

/// A runtime tensor over the data of `at_tensor`, with its sizes and dim order. The data has to
/// outlive it. `at_tensor` has to be dense: a slice needs `contiguous()` first.
TensorPtr alias_tensor_ptr_to_attensor(at::Tensor& at_tensor);

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
// Older spelling of the names.
using ::executorch::extension::alias_attensor_to_etensor;
using ::executorch::extension::alias_etensor_to_attensor;
}  // namespace util
}  // namespace executor
namespace util {
using ::executorch::extension::alias_attensor_to_etensor;
using ::executorch::extension::alias_etensor_to_attensor;
using ::executorch::extension::executorch_to_torch_scalar_type;
using ::executorch::extension::torch_to_executorch_scalar_type;
}  // namespace util
}  // namespace torch
