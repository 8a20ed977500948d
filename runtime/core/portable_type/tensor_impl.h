/// @file
/// TensorImpl: metadata of a tensor, over arrays and data that somebody else owns.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tensor_shape_dynamism.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

/// How printf writes sizes, ranks, numbers of elements, and entries of sizes() and strides():
/// `ET_LOG(Error, "dim %" ET_PRI_TENSOR_DIM, tensor.dim())`.
#define ET_PRI_TENSOR_SIZE "zd"
#define ET_PRI_TENSOR_DIM "zd"
#define ET_PRI_TENSOR_NUMEL "zd"
#define ET_PRI_SIZES_AND_STRIDES "d"

namespace executorch {
namespace runtime {

namespace internal {
class DynamicMemory;
class TensorResizerFriend;
}  // namespace internal

namespace etensor {

/// Shape, element type and data pointer of a tensor.
///
/// Owns nothing: sizes, dim order, strides and data must outlive it, and resizing writes into the
/// sizes and strides arrays. Use through the handle class Tensor.
class TensorImpl {
 public:
  using SizesType = int32_t;     ///< Type of a size.
  using DimOrderType = uint8_t;  ///< Type of an entry of a dim order.
  using StridesType = int32_t;   ///< Type of a stride.

  TensorImpl() = delete;

  /// @param type      Element type; must be a real type, not Undefined.
  /// @param dim       Rank: length of the arrays.
  /// @param sizes     Sizes, none negative. Aborts on negative sizes and on more elements than
  ///                  fit into ssize_t, so check data from outside first (checked_numel()).
  /// @param data      Data, or null if it is set later.
  /// @param dim_order Dimensions from outermost to innermost in memory, a permutation of 0..dim-1.
  ///                  Null: not given, which means contiguous; a tensor that shall be resized
  ///                  with its strides kept right needs it.
  /// @param strides   Strides in elements. May be null for code that does not use them.
  /// @param dynamism  How the shape may change. The initial number of elements is the capacity.
  TensorImpl(ScalarType type, ssize_t dim, SizesType* sizes, void* data = nullptr,
             DimOrderType* dim_order = nullptr, StridesType* strides = nullptr,
             TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC,
             DeviceType device_type = DeviceType::CPU, DeviceIndex device_index = 0);

  /// Bytes of the elements at the present shape.
  size_t nbytes() const;

  /// Size of dimension `dim`, 0 <= dim < dim(); aborts otherwise.
  ssize_t size(ssize_t dim) const;

  /// Rank.
  ssize_t dim() const { return dim_; }

  /// Number of elements.
  ssize_t numel() const { return numel_; }

  ScalarType scalar_type() const { return type_; }
  ScalarType dtype() const { return type_; }

  /// Bytes of an element.
  ssize_t element_size() const;

  ArrayRef<SizesType> sizes() const {
    return ArrayRef<SizesType>(sizes_, sizes_ == nullptr ? 0 : static_cast<size_t>(dim_));
  }

  /// Empty if none was given.
  ArrayRef<DimOrderType> dim_order() const {
    return ArrayRef<DimOrderType>(dim_order_,
                                  dim_order_ == nullptr ? 0 : static_cast<size_t>(dim_));
  }

  /// Empty if none were given.
  ArrayRef<StridesType> strides() const {
    return ArrayRef<StridesType>(strides_, strides_ == nullptr ? 0 : static_cast<size_t>(dim_));
  }

  TensorShapeDynamism shape_dynamism() const {
    return static_cast<TensorShapeDynamism>(shape_dynamism_);
  }

  Device device() const { return Device(device_type_, device_index_); }
  DeviceType device_type() const { return device_type_; }
  DeviceIndex device_index() const { return device_index_; }

  /// Data as elements of type T, which the caller must know to be right.
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  const void* data() const { return data_; }

  template <typename T>
  T* mutable_data() const {
    return static_cast<T*>(data_);
  }
  void* mutable_data() const { return data_; }

  /// Points the tensor at other memory of at least nbytes() bytes.
  void set_data(void* data) { data_ = data; }

  /// The older form of resize_tensor(): changes the shape, or aborts where that returns an error.
  ET_DEPRECATED void set_sizes_contiguous(ArrayRef<SizesType> new_sizes) {
    const Error error = internal_resize_contiguous(new_sizes);
    ET_CHECK_MSG(error == Error::Ok, "the tensor cannot take the new sizes");
  }

 private:
  friend class ::executorch::runtime::internal::DynamicMemory;
  friend class ::executorch::runtime::internal::TensorResizerFriend;

  /// From now on the sizes array has, behind the sizes, what each may become: N at most N, ~N
  /// exactly N. Without, only the number of elements is bounded.
  void use_dim_bounds() { has_dim_bounds_ = 1; }

  /// Whether each dimension may have its new size.
  ET_NODISCARD Error check_dims(ArrayRef<SizesType> new_sizes) const;

  /// Changes the shape, keeping rank and dim order. Leaves everything as it was on failure.
  ///
  /// @retval Error::NotSupported    Another rank, or a shape that the dynamism does not allow.
  /// @retval Error::MemoryAllocationFailed The dynamic memory has not enough for the shape.
  /// @retval Error::InvalidArgument A negative size, or strides too large for StridesType.
  ET_NODISCARD Error internal_resize_contiguous(ArrayRef<SizesType> new_sizes);

  /// Makes room in the dynamic memory for a shape of so many elements.
  ET_NODISCARD Error reserve(ArrayRef<SizesType> new_sizes, size_t new_numel);

  SizesType* sizes_;
  DimOrderType* dim_order_;
  StridesType* strides_;
  void* data_;
  ssize_t dim_;
  ssize_t numel_;
  union {
    /// Largest number of elements that the data may hold.
    ssize_t numel_bound_;
    /// If has_dynamic_memory_: what has the data, and room for more.
    ::executorch::runtime::internal::DynamicMemory* dynamic_memory_;
  };
  ScalarType type_;
  uint8_t shape_dynamism_ : 6;
  uint8_t has_dim_bounds_ : 1;
  uint8_t has_dynamic_memory_ : 1;
  DeviceType device_type_;
  DeviceIndex device_index_;
};

/// Number of elements of a shape; 1 for rank 0. Aborts on negative sizes and on overflow.
ssize_t compute_numel(const TensorImpl::SizesType* sizes, ssize_t dim);

/// Number of elements of a shape that comes from outside.
///
/// @retval Error::InvalidArgument A negative size or rank, no sizes, or more elements than fit.
Result<ssize_t> safe_numel(const TensorImpl::SizesType* sizes, ssize_t dim);

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::compute_numel;
using ::executorch::runtime::etensor::safe_numel;
using ::executorch::runtime::etensor::TensorImpl;
}  // namespace executor
}  // namespace torch
