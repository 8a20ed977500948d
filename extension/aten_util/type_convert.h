#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/Scalar.h>
#include <c10/util/Exception.h>
#include <c10/util/OptionalArrayRef.h>

#include <executorch/extension/aten_util/aten_bridge.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

/// @file
/// Arguments of an ATen kernel as the arguments of a kernel of the runtime:
///
///     type_convert<const at::Tensor&, const Tensor&> argument(at_tensor);
///     kernel(argument.call());
///
/// A converter owns what the converted value refers to. Whatever cannot be converted throws
/// c10::Error, which Python sees as a RuntimeError.

namespace executorch {
namespace extension {
namespace internal {

template <class T>
using remove_const_ref_t = std::remove_const_t<std::remove_reference_t<T>>;

template <class T>
inline constexpr bool is_at_tensor_v = std::is_same_v<remove_const_ref_t<T>, at::Tensor>;
template <class T>
inline constexpr bool is_et_tensor_v =
    std::is_same_v<remove_const_ref_t<T>, executorch::aten::Tensor>;

/// From AType to EType. `call()` gives the value; `finish()` brings what a kernel has written into
/// it back to PyTorch.
template <class AType, class EType, class = void>
struct type_convert final {
  explicit type_convert(AType value) : value_(value) {}
  EType call() { return static_cast<EType>(value_); }
  void finish() {}

 private:
  AType value_;
};

template <class AType, class EType>
struct type_convert<AType, EType, std::enable_if_t<is_at_tensor_v<AType> && is_et_tensor_v<EType>>>
    final {
  explicit type_convert(AType value) : original_(value), dense_(dense(value)) {
    converted_ = alias_tensor_ptr_to_attensor(dense_);
  }
  EType call() { return *converted_; }
  void finish() {
    const auto sizes = converted_->sizes();
    if (!std::equal(sizes.begin(), sizes.end(), dense_.sizes().begin(), dense_.sizes().end())) {
      // The runtime stays within the elements that there were, so that the storage is large enough.
      const std::vector<int64_t> new_sizes(sizes.begin(), sizes.end());
      const std::vector<int64_t> new_strides(converted_->strides().begin(),
                                             converted_->strides().end());
      dense_.unsafeGetTensorImpl()->set_sizes_and_strides(new_sizes, new_strides);
      if (!dense_.is_same(original_)) {
        original_.resize_(new_sizes);
      }
    }
    if (!dense_.is_same(original_)) {
      original_.copy_(dense_);
    }
  }

 private:
  // Kernels know contiguous and channels-last tensors.
  static at::Tensor dense(const at::Tensor& tensor) {
    TORCH_CHECK(tensor.defined(), "an undefined tensor has no counterpart in the runtime");
    TORCH_CHECK(tensor.device().is_cpu() && tensor.layout() == at::kStrided,
                "kernels of the runtime take dense CPU tensors, not one on ", tensor.device(),
                " with layout ", tensor.layout());
    // Tracing calls operators with tensors that have no memory.
    TORCH_CHECK(
        !tensor.key_set().has(c10::DispatchKey::Python),
        "the tensor is a fake one or another subclass of Tensor, which kernels of the runtime "
        "cannot read; give the operator a kernel for shapes with torch.library.register_fake");
    TORCH_CHECK(tensor.scalar_type() <= at::ScalarType::UInt64, "element type ",
                tensor.scalar_type(), " has no counterpart in the runtime");
    for (int64_t size : tensor.sizes()) {
      TORCH_CHECK(size <= std::numeric_limits<executorch::aten::SizesType>::max(),
                  "a dimension of ", size, " elements is too long for the runtime");
    }
    const bool fits =
        tensor.is_contiguous() || tensor.is_contiguous(at::MemoryFormat::ChannelsLast);
    if (fits && !tensor.is_conj() && !tensor.is_neg()) {
      return tensor;
    }
    return tensor.resolve_conj().resolve_neg().contiguous();
  }

  at::Tensor original_;
  at::Tensor dense_;
  TensorPtr converted_;
};

template <class EType, class AType>
struct type_convert<EType, AType, std::enable_if_t<is_et_tensor_v<EType> && is_at_tensor_v<AType>>>
    final {
  explicit type_convert(EType value) : converted_(alias_attensor_to_etensor(value)) {}
  AType call() { return converted_; }
  void finish() {}

 private:
  at::Tensor converted_;
};

template <class AType, class EType>
struct type_convert<std::optional<AType>, std::optional<EType>> final {
  explicit type_convert(const std::optional<AType>& value) {
    if (value.has_value()) {
      converter_.emplace(*value);
    }
  }
  std::optional<EType> call() {
    return converter_.has_value() ? std::optional<EType>(converter_->call()) : std::nullopt;
  }
  void finish() {}

 private:
  std::optional<type_convert<AType, EType>> converter_;
};

/// Lists: of anything to an ArrayRef of its counterpart.
template <class AType, class EType>
class list_convert {
 public:
  template <class List>
  explicit list_convert(const List& list) {
    converters_.reserve(list.size());
    for (const auto& element : list) {  // Of a c10::List these are proxies.
      converters_.emplace_back(static_cast<AType>(element));
    }
    for (auto& converter : converters_) {
      values_.push_back(converter.call());
    }
  }
  executorch::aten::ArrayRef<EType> call() { return {values_.data(), values_.size()}; }
  void finish() {
    for (auto& converter : converters_) {
      converter.finish();
    }
  }

 private:
  std::vector<type_convert<AType, EType>> converters_;
  std::vector<EType> values_;
};

template <class AType, class EType>
struct type_convert<at::ArrayRef<AType>, executorch::aten::ArrayRef<EType>,
                    std::enable_if_t<!std::is_same_v<AType, EType>>>
    final : list_convert<AType, EType> {
  using list_convert<AType, EType>::list_convert;
};

template <class AType>
struct type_convert<at::ArrayRef<AType>, executorch::aten::ArrayRef<AType>> final {
  explicit type_convert(at::ArrayRef<AType> value) : value_(value) {}
  executorch::aten::ArrayRef<AType> call() { return {value_.data(), value_.size()}; }
  void finish() {}

 private:
  at::ArrayRef<AType> value_;
};

template <class AType, class EType>
struct type_convert<c10::List<AType>, executorch::aten::ArrayRef<EType>> final
    : list_convert<AType, EType> {
  using list_convert<AType, EType>::list_convert;
};

template <class Element>
struct type_convert<c10::OptionalArrayRef<Element>,
                    std::optional<executorch::aten::ArrayRef<Element>>>
    final {
  explicit type_convert(c10::OptionalArrayRef<Element> value) : value_(value) {}
  std::optional<executorch::aten::ArrayRef<Element>> call() {
    if (!value_.has_value()) {
      return std::nullopt;
    }
    return executorch::aten::ArrayRef<Element>(value_->data(), value_->size());
  }
  void finish() {}

 private:
  c10::OptionalArrayRef<Element> value_;
};

template <>
struct type_convert<at::Scalar, executorch::aten::Scalar> final {
  explicit type_convert(const at::Scalar& value) : value_(value) {}
  executorch::aten::Scalar call() {
    TORCH_CHECK(!value_.isComplex(), "the runtime has no complex scalars");
    if (value_.isBoolean()) {
      return value_.toBool();
    }
    if (value_.isIntegral(/*includeBool=*/false)) {
      return value_.toLong();
    }
    return value_.toDouble();
  }
  void finish() {}

 private:
  at::Scalar value_;
};

template <>
struct type_convert<at::ScalarType, executorch::aten::ScalarType> final {
  explicit type_convert(at::ScalarType value) : value_(value) {}
  executorch::aten::ScalarType call() {
    TORCH_CHECK(value_ <= at::ScalarType::UInt64, "element type ", value_,
                " has no counterpart in the runtime");
    return static_cast<executorch::aten::ScalarType>(value_);
  }
  void finish() {}

 private:
  at::ScalarType value_;
};

template <>
struct type_convert<at::Device, executorch::aten::Device> final {
  explicit type_convert(at::Device value) {
    TORCH_CHECK(value.is_cpu(), "kernels of the runtime work on the CPU, not on ", value);
  }
  executorch::aten::Device call() {
    return executorch::aten::Device(executorch::aten::DeviceType::CPU);
  }
  void finish() {}
};

/// The ATen type of a parameter of a kernel of the runtime, as TORCH_LIBRARY knows it.
template <class EType, class Enable = void>
struct aten_type {
  using type = EType;
};
template <class EType>
struct aten_type<EType, std::enable_if_t<std::is_floating_point_v<EType>>> {
  using type = double;
};
template <class EType>
struct aten_type<EType,
                 std::enable_if_t<std::is_integral_v<EType> && !std::is_same_v<EType, bool>>> {
  using type = int64_t;
};
template <>
struct aten_type<executorch::aten::Tensor> {
  using type = at::Tensor;
};
template <>
struct aten_type<executorch::aten::Scalar> {
  using type = at::Scalar;
};
template <>
struct aten_type<executorch::aten::ScalarType> {
  using type = at::ScalarType;
};
template <>
struct aten_type<executorch::aten::MemoryFormat> {
  using type = at::MemoryFormat;
};
template <>
struct aten_type<executorch::aten::Layout> {
  using type = at::Layout;
};
template <>
struct aten_type<executorch::aten::Device> {
  using type = at::Device;
};
template <class EType>
struct aten_type<std::optional<EType>> {
  using type = std::optional<typename aten_type<EType>::type>;
};
template <class EType>
struct aten_type<executorch::aten::ArrayRef<EType>> {
  using type = at::ArrayRef<typename aten_type<EType>::type>;
};
template <class EType>
struct aten_type<std::optional<executorch::aten::ArrayRef<EType>>> {
  using type = c10::OptionalArrayRef<typename aten_type<EType>::type>;
};
template <>
struct aten_type<executorch::aten::ArrayRef<std::optional<executorch::aten::Tensor>>> {
  using type = c10::List<std::optional<at::Tensor>>;
};

/// How the ATen kernel takes it: tensors and classes as the kernel does, small values by value.
template <class EParameter, class Enable = void>
struct aten_parameter {
  using type = typename aten_type<remove_const_ref_t<EParameter>>::type;
};
template <class EParameter>
struct aten_parameter<EParameter, std::enable_if_t<is_et_tensor_v<EParameter>>> {
  using Referred = std::conditional_t<std::is_const_v<std::remove_reference_t<EParameter>>,
                                      const at::Tensor, at::Tensor>;
  using type = std::conditional_t<std::is_reference_v<EParameter>, Referred&, Referred>;
};
template <class EParameter>
using aten_parameter_t = typename aten_parameter<EParameter>::type;

}  // namespace internal
}  // namespace extension
}  // namespace executorch
