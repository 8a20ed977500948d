/// @file
/// Tensor: the handle that kernels and applications pass around.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/portable_type/tensor_impl.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {
namespace etensor {

/// One pointer to a TensorImpl, copied by value. Has the part of at::Tensor's interface that needs
/// no heap. The TensorImpl must outlive it and is never null when a method is called.
class Tensor {
 public:
  using SizesType = TensorImpl::SizesType;
  using DimOrderType = TensorImpl::DimOrderType;
  using StridesType = TensorImpl::StridesType;

  Tensor() = delete;
  explicit constexpr Tensor(TensorImpl* impl) : impl_(impl) {}

  TensorImpl* unsafeGetTensorImpl() const { return impl_; }

  /// Bytes of the elements.
  size_t nbytes() const { return impl_->nbytes(); }

  /// Size of dimension `dim`; aborts if there is none.
  ssize_t size(ssize_t dim) const { return impl_->size(dim); }

  /// Rank.
  ssize_t dim() const { return impl_->dim(); }

  /// Number of elements.
  ssize_t numel() const { return impl_->numel(); }

  ScalarType scalar_type() const { return impl_->scalar_type(); }
  ScalarType dtype() const { return scalar_type(); }

  /// Bytes of an element.
  ssize_t element_size() const { return impl_->element_size(); }

  ArrayRef<SizesType> sizes() const { return impl_->sizes(); }

  /// Dimensions from outermost to innermost in memory.
  ArrayRef<DimOrderType> dim_order() const { return impl_->dim_order(); }

  /// Distances between neighbours in elements.
  ArrayRef<StridesType> strides() const { return impl_->strides(); }

  TensorShapeDynamism shape_dynamism() const { return impl_->shape_dynamism(); }

  Device device() const { return impl_->device(); }
  DeviceType device_type() const { return impl_->device_type(); }
  DeviceIndex device_index() const { return impl_->device_index(); }

  /// Data as elements of type T, which the caller must know to be right.
  template <typename T>
  const T* const_data_ptr() const {
    return impl_->data<T>();
  }
  const void* const_data_ptr() const { return impl_->data(); }

  template <typename T>
  T* mutable_data_ptr() const {
    return impl_->mutable_data<T>();
  }
  void* mutable_data_ptr() const { return impl_->mutable_data(); }

  /// Older spelling of mutable_data_ptr().
  template <typename T>
  T* data_ptr() const {
    return impl_->mutable_data<T>();
  }
  void* data_ptr() const { return impl_->mutable_data(); }

  /// Older spelling of unsafeGetTensorImpl()->set_data().
  void set_data(void* data) const { impl_->set_data(data); }

 private:
  TensorImpl* impl_ = nullptr;
};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::Tensor;
}  // namespace executor
}  // namespace torch
