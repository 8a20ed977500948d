#include <algorithm>
#include <cinttypes>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <ATen/ops/from_blob.h>

#include <executorch/extension/aten_util/aten_bridge.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace extension {
namespace {

using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;

// The enumerators have the same numbers up to here; newer ones of PyTorch have no counterpart.
static_assert(static_cast<int>(ScalarType::UInt64) == static_cast<int>(c10::ScalarType::UInt64),
              "the two lists of element types differ");
static_assert(static_cast<int>(ScalarType::BFloat16) == static_cast<int>(c10::ScalarType::BFloat16),
              "the two lists of element types differ");
static_assert(static_cast<int>(ScalarType::Bool) == static_cast<int>(c10::ScalarType::Bool),
              "the two lists of element types differ");

void check_cpu(const at::Tensor& tensor) {
  ET_CHECK_MSG(tensor.defined(), "the tensor of PyTorch is undefined");
  ET_CHECK_MSG(tensor.device().is_cpu() && tensor.layout() == at::kStrided,
               "expected a dense CPU tensor of PyTorch, got one on %s",
               tensor.device().str().c_str());
  for (int64_t size : tensor.sizes()) {
    ET_CHECK_MSG(size <= std::numeric_limits<SizesType>::max(),
                 "a dimension of %" PRId64 " elements is too long for the runtime", size);
  }
}

void check_same_meta(const at::Tensor& at_tensor, const executorch::aten::Tensor& et_tensor) {
  const ScalarType type = torch_to_executorch_scalar_type(at_tensor.dtype());
  ET_CHECK_MSG(type == et_tensor.scalar_type(), "element types differ: PyTorch %s, runtime %s",
               runtime::toString(type), runtime::toString(et_tensor.scalar_type()));
  ET_CHECK_MSG(at_tensor.dim() == et_tensor.dim(),
               "ranks differ: PyTorch %" PRId64 ", runtime %" PRId64, at_tensor.dim(),
               static_cast<int64_t>(et_tensor.dim()));
  for (int64_t d = 0; d < at_tensor.dim(); ++d) {
    ET_CHECK_MSG(at_tensor.size(d) == et_tensor.size(d),
                 "sizes of dimension %" PRId64 " differ: PyTorch %" PRId64 ", runtime %" PRId64, d,
                 at_tensor.size(d), static_cast<int64_t>(et_tensor.size(d)));
  }
}

}  // namespace

ScalarType torch_to_executorch_scalar_type(caffe2::TypeMeta type) {
  const auto number = static_cast<int>(c10::typeMetaToScalarType(type));
  ET_CHECK_MSG(number >= 0 && number < static_cast<int>(ScalarType::Undefined),
               "PyTorch's element type %d has no counterpart in the runtime", number);
  return static_cast<ScalarType>(number);
}

c10::ScalarType executorch_to_torch_scalar_type(ScalarType type) {
  ET_CHECK_MSG(runtime::isValid(type), "%d is no element type of the runtime",
               static_cast<int>(type));
  return static_cast<c10::ScalarType>(type);
}

void alias_etensor_to_attensor(at::Tensor& at_tensor, executorch::aten::Tensor& et_tensor) {
  check_cpu(at_tensor);
  check_same_meta(at_tensor, et_tensor);
  ET_CHECK_MSG(at_tensor.is_contiguous(),
               "the tensor of PyTorch is not contiguous: call contiguous() first");
  et_tensor.unsafeGetTensorImpl()->set_data(at_tensor.mutable_data_ptr());
}

at::Tensor alias_attensor_to_etensor(const executorch::aten::Tensor& et_tensor) {
  const std::vector<int64_t> sizes(et_tensor.sizes().begin(), et_tensor.sizes().end());
  const auto options =
      at::TensorOptions().dtype(executorch_to_torch_scalar_type(et_tensor.scalar_type()));
  void* data = et_tensor.mutable_data_ptr();
  if (et_tensor.strides().size() != sizes.size()) {
    return at::from_blob(data, sizes, options);
  }
  const std::vector<int64_t> strides(et_tensor.strides().begin(), et_tensor.strides().end());
  return at::from_blob(data, sizes, strides, options);
}

TensorPtr alias_tensor_ptr_to_attensor(at::Tensor& at_tensor) {
  check_cpu(at_tensor);
  ET_CHECK_MSG(at_tensor.is_non_overlapping_and_dense(),
               "the tensor of PyTorch leaves gaps in memory: call contiguous() first");
  const auto dim = static_cast<size_t>(at_tensor.dim());
  std::vector<SizesType> sizes(at_tensor.sizes().begin(), at_tensor.sizes().end());
  std::vector<DimOrderType> order(dim);
  std::iota(order.begin(), order.end(), DimOrderType{0});
  if (!at_tensor.is_contiguous()) {
    // Of equal strides the longer dimension is the outer one: the other has one element.
    std::stable_sort(order.begin(), order.end(), [&](DimOrderType a, DimOrderType b) {
      return std::make_pair(at_tensor.stride(a), at_tensor.size(a)) >
             std::make_pair(at_tensor.stride(b), at_tensor.size(b));
    });
  }
  return make_tensor_ptr(std::move(sizes), at_tensor.mutable_data_ptr(), std::move(order), {},
                         torch_to_executorch_scalar_type(at_tensor.dtype()));
}

}  // namespace extension
}  // namespace executorch
