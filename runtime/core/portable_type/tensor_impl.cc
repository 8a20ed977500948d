#include <cstring>
#include <limits>

#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_basics.h>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/core/exec_aten/util/tensor_size.h>
#include <executorch/runtime/core/portable_type/dynamic_memory.h>
#include <executorch/runtime/core/portable_type/tensor_impl.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

Error internal::DynamicMemory::reserve(size_t nbytes) {
  if (nbytes <= capacity_) {
    return Error::Ok;
  }
  if (nbytes > own_capacity_) {
    if (allocator_ == nullptr || nbytes > std::numeric_limits<size_t>::max() / 2) {
      return Error::MemoryAllocationFailed;
    }
    // By half at least, so that sizes which grow step by step do not use up the memory.
    const size_t half = own_capacity_ / 2;
    size_t wanted = nbytes - own_capacity_ < half ? own_capacity_ + half : nbytes;
    void* data = allocator_->allocate(wanted + kSlack, kAlignment);
    if (data == nullptr && wanted != nbytes) {
      wanted = nbytes;
      data = allocator_->allocate(wanted + kSlack, kAlignment);
    }
    if (data == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    own_data_ = data;
    own_capacity_ = wanted;
  }
  data_ = own_data_;
  capacity_ = own_capacity_;
  return Error::Ok;
}

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
      shape_dynamism_(static_cast<uint8_t>(dynamism) & 0x3f),
      has_dim_bounds_(0),
      has_dynamic_memory_(0),
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

Error TensorImpl::check_dims(ArrayRef<SizesType> new_sizes) const {
  const bool is_static = shape_dynamism() == TensorShapeDynamism::STATIC;
  for (size_t i = 0; i < new_sizes.size(); ++i) {
    const SizesType limit = is_static ? ~sizes_[i] : sizes_[new_sizes.size() + i];
    const SizesType bound = limit < 0 ? ~limit : limit;
    ET_CHECK_OR_RETURN_ERROR(new_sizes[i] == bound || (limit >= 0 && new_sizes[i] < bound),
                             NotSupported, "Dimension %zu is %d in shape %s, expected %s%d", i,
                             static_cast<int>(new_sizes[i]),
                             tensor_shape_to_c_string(new_sizes).data(),
                             limit < 0 ? "" : "at most ", static_cast<int>(bound));
  }
  return Error::Ok;
}

Error TensorImpl::reserve(ArrayRef<SizesType> new_sizes, size_t new_numel) {
  const size_t element_size = elementSize(type_);
  const bool fits = new_numel <= std::numeric_limits<size_t>::max() / element_size;
  const void* before = dynamic_memory_->data_;
  const Error error =
      fits ? dynamic_memory_->reserve(new_numel * element_size) : Error::MemoryAllocationFailed;
  ET_CHECK_OK_OR_RETURN_ERROR(
      error,
      "No memory for shape %s, %zu elements of %zu bytes, of a tensor whose size has no bound in "
      "the program: give MemoryManager::set_dynamic_allocator() an allocator with more, or export "
      "the size with a maximum",
      tensor_shape_to_c_string(new_sizes).data(), new_numel, element_size);
  // Results that are put together row by row keep the rows that they have.
  if (dynamic_memory_->data_ != before && data_ != nullptr) {
    std::memmove(dynamic_memory_->data_, data_,
                 nbytes() < dynamic_memory_->capacity_ ? nbytes() : dynamic_memory_->capacity_);
  }
  return Error::Ok;
}

Error TensorImpl::internal_resize_contiguous(ArrayRef<SizesType> new_sizes) {
  ET_CHECK_OR_RETURN_ERROR(static_cast<ssize_t>(new_sizes.size()) == dim_, NotSupported,
                           "resize cannot change the rank: expected %zd dimensions, received %zu",
                           dim_, new_sizes.size());
  const bool can_grow = internal::kUnboundedSizes && has_dynamic_memory_ != 0;
  // Most calls of kernels do not change the shape. Rank 0 has nothing to change.
  const bool is_same =
      dim_ == 0 || std::memcmp(sizes_, new_sizes.data(), sizeof(SizesType) * new_sizes.size()) == 0;
  if (is_same && (!can_grow || dynamic_memory_->holds(data_, nbytes()))) {
    return Error::Ok;
  }
  if (has_dim_bounds_ || shape_dynamism() == TensorShapeDynamism::STATIC) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_dims(new_sizes));
  }

  const auto new_numel = checked_numel(new_sizes);
  if (!new_numel.ok()) {
    return new_numel.error();
  }
  if (can_grow) {
    ET_CHECK_OK_OR_RETURN_ERROR(reserve(new_sizes, *new_numel));
  } else {
    ET_CHECK_OR_RETURN_ERROR(
        *new_numel <= static_cast<size_t>(numel_bound_), NotSupported,
        "Attempted to resize a tensor of at most %zd elements to %zu: shape %s", numel_bound_,
        *new_numel, tensor_shape_to_c_string(new_sizes).data());
  }

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
  if (can_grow) {
    data_ = dynamic_memory_->data_;
  }
  numel_ = static_cast<ssize_t>(*new_numel);
  std::memcpy(sizes_, new_sizes.data(), sizeof(SizesType) * new_sizes.size());
  return Error::Ok;
}

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
