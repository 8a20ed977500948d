#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

namespace internal {

/// What every accessor has: where the data starts, and how to step along each dimension.
template <typename T, ssize_t N>
class TensorAccessorBase {
 public:
  executorch::aten::ArrayRef<executorch::aten::SizesType> sizes() const {
    return {sizes_, size_t{N}};
  }

  /// Steps between neighbours in each dimension, counted in elements.
  executorch::aten::ArrayRef<executorch::aten::StridesType> strides() const {
    return {strides_, size_t{N}};
  }

  executorch::aten::SizesType size(ssize_t dim) const { return sizes_[dim]; }
  executorch::aten::StridesType stride(ssize_t dim) const { return strides_[dim]; }

  T* data() { return data_; }
  const T* data() const { return data_; }

 protected:
  TensorAccessorBase(T* data, const executorch::aten::SizesType* sizes,
                     const executorch::aten::StridesType* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}

  T* data_;
  const executorch::aten::SizesType* sizes_;
  const executorch::aten::StridesType* strides_;
};

}  // namespace internal

/// Element access by index, `accessor[i][j][k]`, with the type and the rank fixed at compile time.
///
/// Borrows from the tensor: neither the tensor nor its data may go away or be resized meanwhile.
/// Indices are not checked.
template <typename T, ssize_t N>
class TensorAccessor : public internal::TensorAccessorBase<T, N> {
  static_assert(N > 0, "an accessor has at least one dimension");

 public:
  TensorAccessor(T* data, const executorch::aten::SizesType* sizes,
                 const executorch::aten::StridesType* strides, ssize_t dim = N)
      : internal::TensorAccessorBase<T, N>(data, sizes, strides) {
    (void)dim;
  }

  TensorAccessor<T, N - 1> operator[](ssize_t i) {
    return TensorAccessor<T, N - 1>(this->data_ + this->strides_[0] * i, this->sizes_ + 1,
                                    this->strides_ + 1);
  }

  const TensorAccessor<T, N - 1> operator[](ssize_t i) const {
    return TensorAccessor<T, N - 1>(this->data_ + this->strides_[0] * i, this->sizes_ + 1,
                                    this->strides_ + 1);
  }
};

template <typename T>
class TensorAccessor<T, 1> : public internal::TensorAccessorBase<T, 1> {
 public:
  TensorAccessor(T* data, const executorch::aten::SizesType* sizes,
                 const executorch::aten::StridesType* strides, ssize_t dim = 1)
      : internal::TensorAccessorBase<T, 1>(data, sizes, strides) {
    (void)dim;
  }

  T& operator[](ssize_t i) { return this->data_[this->strides_[0] * i]; }
  const T& operator[](ssize_t i) const { return this->data_[this->strides_[0] * i]; }
};

/// An accessor for `tensor`. InvalidArgument when its element type is not `T` or its rank is not
/// `N`.
template <typename T, ssize_t N>
runtime::Result<TensorAccessor<T, N>> make_tensor_accessor(const executorch::aten::Tensor& tensor) {
  static_assert(N > 0, "an accessor has at least one dimension");
  using Element = std::remove_const_t<T>;
  if (runtime::CppTypeToScalarType<Element>::value != tensor.scalar_type()) {
    ET_LOG(Error, "Expected a tensor of type %s, found %s",
           runtime::toString(runtime::CppTypeToScalarType<Element>::value),
           runtime::toString(tensor.scalar_type()));
    return runtime::Error::InvalidArgument;
  }
  if (tensor.dim() != N) {
    ET_LOG(Error, "Expected a tensor of rank %zd, found %zd", static_cast<ssize_t>(N),
           static_cast<ssize_t>(tensor.dim()));
    return runtime::Error::InvalidArgument;
  }
  if constexpr (std::is_const_v<T>) {
    return TensorAccessor<T, N>(tensor.template const_data_ptr<Element>(), tensor.sizes().data(),
                                tensor.strides().data());
  } else {
    return TensorAccessor<T, N>(tensor.template mutable_data_ptr<Element>(), tensor.sizes().data(),
                                tensor.strides().data());
  }
}

}  // namespace extension
}  // namespace executorch
