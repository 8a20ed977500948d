#include <cstring>

#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_basics.h>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/core/exec_aten/util/tensor_size.h>
#include <executorch/runtime/core/portable_type/tensor_impl.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {
namespace etensor {

ssize_t compute_numel(const TensorImpl::SizesType* sizes, ssize_t dim) {
  ET_CHECK_MSG(dim == 0 || (dim > 0 && sizes != nullptr), "rank %zd without sizes", dim);
  const auto numel = checked_numel({sizes, static_cast<size_t>(dim)});
  ET_CHECK_MSG(numel.ok(), "not a shape: sizes are negative or too large");
  return static_cast<ssize_t>(*numel);
}

Result<ssize_t> safe_numel(const TensorImpl::SizesType* sizes, ssize_t dim) {
  ET_CHECK_OR_RETURN_ERROR(dim == 0 || (dim > 0 && sizes != nullptr), InvalidArgument,
                           "rank %zd without sizes", dim);
  const Result<size_t> numel = checked_numel({sizes, static_cast<size_t>(dim)});
  if (!numel.ok()) {
    return numel.error();
  }
  return static_cast<ssize_t>(*numel);
}

TensorImpl::TensorImpl(ScalarType type, ssize_t dim, SizesType* sizes, void* data,
                       DimOrderType* dim_order, StridesType* strides, TensorShapeDynamism dynamism,
                       DeviceType device_type, DeviceIndex device_index)
    : sizes_(sizes),
      dim_order_(dim_order),
      strides_(strides),
      data_(data),
      dim_(dim),
      numel_(compute_numel(sizes, dim)),
      numel_bound_(numel_),
      type_(type),
      shape_dynamism_(dynamism),
      device_type_(device_type),
      device_index_(device_index) {
  ET_CHECK_MSG(isValid(type_), "%d is not a scalar type", static_cast<int>(type_));
}

size_t TensorImpl::nbytes() const { return static_cast<size_t>(numel_) * elementSize(type_); }

ssize_t TensorImpl::size(ssize_t dim) const {
  ET_CHECK_MSG(dim >= 0 && dim < dim_, "dimension %zd of a tensor of rank %zd", dim, dim_);
  return sizes_[dim];
}

ssize_t TensorImpl::element_size() const { return static_cast<ssize_t>(elementSize(type_)); }

Error TensorImpl::internal_resize_contiguous(ArrayRef<SizesType> new_sizes) {
  ET_CHECK_OR_RETURN_ERROR(static_cast<ssize_t>(new_sizes.size()) == dim_, NotSupported,
                           "resize cannot change the rank: expected %zd dimensions, received %zu",
                           dim_, new_sizes.size());
  // Most calls of kernels do not change the shape. Rank 0 has nothing to change.
  if (dim_ == 0 ||
      std::memcmp(sizes_, new_sizes.data(), sizeof(SizesType) * new_sizes.size()) == 0) {
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(shape_dynamism_ != TensorShapeDynamism::STATIC, NotSupported,
                           "Attempted to resize a static tensor. Expected shape %s, received %s",
                           tensor_shape_to_c_string(sizes()).data(),
                           tensor_shape_to_c_string(new_sizes).data());

  const auto new_numel = checked_numel(new_sizes);
  if (!new_numel.ok()) {
    return new_numel.error();
  }
  // Unbounded tensors have no allocator to grow with; they are as large as their memory.
  ET_CHECK_OR_RETURN_ERROR(*new_numel <= static_cast<size_t>(numel_bound_), NotSupported,
                           "Attempted to resize a tensor of at most %zd elements to %zu: shape %s",
                           numel_bound_, *new_numel, tensor_shape_to_c_string(new_sizes).data());

  if (strides_ != nullptr) {
    if (dim_order_ != nullptr) {
      ET_CHECK_OK_OR_RETURN_ERROR(
          dim_order_to_stride(new_sizes.data(), dim_order_, new_sizes.size(), strides_));
    } else {
      DimOrderType contiguous[kTensorDimensionLimit];
      ET_CHECK_OR_RETURN_ERROR(new_sizes.size() <= kTensorDimensionLimit, NotSupported,
                               "rank %zu is above the limit", new_sizes.size());
      for (size_t i = 0; i < new_sizes.size(); ++i) {
        contiguous[i] = static_cast<DimOrderType>(i);
      }
      ET_CHECK_OK_OR_RETURN_ERROR(
          dim_order_to_stride(new_sizes.data(), contiguous, new_sizes.size(), strides_));
    }
  }
  numel_ = static_cast<ssize_t>(*new_numel);
  std::memcpy(sizes_, new_sizes.data(), sizeof(SizesType) * new_sizes.size());
  return Error::Ok;
}

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
