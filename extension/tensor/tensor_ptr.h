#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/portable_type/c10/c10/macros/Macros.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/safe_numerics.h>

namespace executorch {
namespace extension {

/// A Tensor together with everything it refers to: sizes, dim order, strides and, depending on how
/// it was made, the data. Copies share one tensor; the last one releases what it owns.
///
/// An EValue made from a TensorPtr only borrows: keep the TensorPtr alive as long as the EValue is
/// used.
///
/// The makers below cannot fail in a way that a program could repair, so wrong arguments (data of
/// the wrong size, a dim order that is no permutation, strides that leave gaps, a cast that loses
/// values) stop the process with a message that says what was expected.
using TensorPtr = std::shared_ptr<executorch::aten::Tensor>;

namespace internal {

template <typename T, typename = void>
struct HasScalarType : std::false_type {};
template <typename T>
struct HasScalarType<T, std::void_t<decltype(runtime::CppTypeToScalarType<T>::value)>>
    : std::true_type {};

/// The scalar type that holds values of the C++ type `T`. Integers go by size and sign, so that
/// `long` and `long long` both work wherever they are the same size.
template <typename T>
constexpr executorch::aten::ScalarType deduce_scalar_type() {
  using executorch::aten::ScalarType;
  if constexpr (std::is_same_v<T, bool>) {
    return ScalarType::Bool;
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    return sizeof(T) == 1   ? ScalarType::Char
           : sizeof(T) == 2 ? ScalarType::Short
           : sizeof(T) == 4 ? ScalarType::Int
                            : ScalarType::Long;
  } else if constexpr (std::is_integral_v<T>) {
    return sizeof(T) == 1   ? ScalarType::Byte
           : sizeof(T) == 2 ? ScalarType::UInt16
           : sizeof(T) == 4 ? ScalarType::UInt32
                            : ScalarType::UInt64;
  } else {
    return runtime::CppTypeToScalarType<T>::value;
  }
}

template <typename T>
constexpr bool is_element_type_v = std::is_integral_v<T> || HasScalarType<T>::value;

/// Copies `count` elements of `from` at `source` into a block of type `to`; stops the process when
/// the cast could lose values: floating point to integer, anything but Bool to Bool, complex to
/// real.
std::shared_ptr<void> convert_elements(const void* source, executorch::aten::ScalarType from,
                                       size_t count, executorch::aten::ScalarType to);

/// Stops the process unless `count` elements are what `sizes` ask for.
void check_element_count(const std::vector<executorch::aten::SizesType>& sizes, size_t count);

/// A tensor over data that `owner` keeps alive.
TensorPtr make_owning_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, void* data,
    std::vector<executorch::aten::DimOrderType> dim_order,
    std::vector<executorch::aten::StridesType> strides, executorch::aten::ScalarType type,
    executorch::aten::TensorShapeDynamism dynamism, std::shared_ptr<void> owner,
    executorch::aten::Device device = executorch::aten::Device(executorch::aten::DeviceType::CPU,
                                                               0));

/// Takes over the elements, converting them when `type` is not the type of `T`.
template <typename T>
std::pair<void*, std::shared_ptr<void>> own_elements(std::vector<T> data,
                                                     executorch::aten::ScalarType type) {
  constexpr executorch::aten::ScalarType kType = deduce_scalar_type<T>();
  if constexpr (std::is_same_v<T, bool>) {
    // std::vector<bool> packs bits; tensors hold one byte per value.
    auto bytes = std::make_shared<std::vector<uint8_t>>(data.begin(), data.end());
    if (type != kType) {
      auto converted = convert_elements(bytes->data(), kType, bytes->size(), type);
      return {converted.get(), converted};
    }
    void* pointer = bytes->data();
    return {pointer, std::move(bytes)};
  } else {
    if (type != kType) {
      auto converted = convert_elements(data.data(), kType, data.size(), type);
      return {converted.get(), converted};
    }
    auto elements = std::make_shared<std::vector<T>>(std::move(data));
    void* pointer = elements->data();
    return {pointer, std::move(elements)};
  }
}

}  // namespace internal

/// A tensor over `data`, which it does not own. With a `deleter`, the last copy of the result calls
/// `deleter(data)`. Strides and dim order that are left empty follow from each other, or are those
/// of a contiguous tensor.
TensorPtr make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes, void* data,
                          std::vector<executorch::aten::DimOrderType> dim_order,
                          std::vector<executorch::aten::StridesType> strides,
                          executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                          executorch::aten::TensorShapeDynamism dynamism =
                              executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND,
                          std::function<void(void*)> deleter = nullptr);

/// The same for data on `device`.
TensorPtr make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes, void* data,
                          std::vector<executorch::aten::DimOrderType> dim_order,
                          std::vector<executorch::aten::StridesType> strides,
                          executorch::aten::ScalarType type, executorch::aten::Device device,
                          executorch::aten::TensorShapeDynamism dynamism =
                              executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND,
                          std::function<void(void*)> deleter = nullptr);

/// The same for a contiguous tensor.
inline TensorPtr make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, void* data,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND,
    std::function<void(void*)> deleter = nullptr) {
  return make_tensor_ptr(std::move(sizes), data, {}, {}, type, dynamism, std::move(deleter));
}

/// The same on a device.
inline TensorPtr make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes, void* data,
                                 executorch::aten::ScalarType type, executorch::aten::Device device,
                                 executorch::aten::TensorShapeDynamism dynamism =
                                     executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND,
                                 std::function<void(void*)> deleter = nullptr) {
  return make_tensor_ptr(std::move(sizes), data, {}, {}, type, device, dynamism,
                         std::move(deleter));
}

/// A tensor that owns `data`, one element for each position. When `type` is not the type of the
/// elements, they are cast to it.
template <typename T, std::enable_if_t<internal::is_element_type_v<T>, int> = 0>
TensorPtr make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes, std::vector<T> data,
                          std::vector<executorch::aten::DimOrderType> dim_order,
                          std::vector<executorch::aten::StridesType> strides = {},
                          executorch::aten::ScalarType type = internal::deduce_scalar_type<T>(),
                          executorch::aten::TensorShapeDynamism dynamism =
                              executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  internal::check_element_count(sizes, data.size());
  auto owned = internal::own_elements(std::move(data), type);
  return internal::make_owning_tensor_ptr(std::move(sizes), owned.first, std::move(dim_order),
                                          std::move(strides), type, dynamism,
                                          std::move(owned.second));
}

template <typename T, std::enable_if_t<internal::is_element_type_v<T>, int> = 0>
TensorPtr make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes, std::vector<T> data,
                          executorch::aten::ScalarType type = internal::deduce_scalar_type<T>(),
                          executorch::aten::TensorShapeDynamism dynamism =
                              executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr<T>(std::move(sizes), std::move(data), {}, {}, type, dynamism);
}

/// A one-dimensional tensor that owns `data`.
template <typename T, std::enable_if_t<internal::is_element_type_v<T>, int> = 0>
TensorPtr make_tensor_ptr(std::vector<T> data,
                          executorch::aten::ScalarType type = internal::deduce_scalar_type<T>(),
                          executorch::aten::TensorShapeDynamism dynamism =
                              executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  std::vector<executorch::aten::SizesType> sizes{
      static_cast<executorch::aten::SizesType>(data.size())};
  return make_tensor_ptr<T>(std::move(sizes), std::move(data), {}, {}, type, dynamism);
}

template <typename T, std::enable_if_t<internal::is_element_type_v<T>, int> = 0>
TensorPtr make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes,
                          std::initializer_list<T> list,
                          std::vector<executorch::aten::DimOrderType> dim_order,
                          std::vector<executorch::aten::StridesType> strides = {},
                          executorch::aten::ScalarType type = internal::deduce_scalar_type<T>(),
                          executorch::aten::TensorShapeDynamism dynamism =
                              executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr<T>(std::move(sizes), std::vector<T>(list), std::move(dim_order),
                            std::move(strides), type, dynamism);
}

template <typename T, std::enable_if_t<internal::is_element_type_v<T>, int> = 0>
TensorPtr make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes,
                          std::initializer_list<T> list,
                          executorch::aten::ScalarType type = internal::deduce_scalar_type<T>(),
                          executorch::aten::TensorShapeDynamism dynamism =
                              executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr<T>(std::move(sizes), std::vector<T>(list), {}, {}, type, dynamism);
}

template <typename T, std::enable_if_t<internal::is_element_type_v<T>, int> = 0>
TensorPtr make_tensor_ptr(std::initializer_list<T> list,
                          executorch::aten::ScalarType type = internal::deduce_scalar_type<T>(),
                          executorch::aten::TensorShapeDynamism dynamism =
                              executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr<T>(std::vector<T>(list), type, dynamism);
}

/// A zero-dimensional tensor with one value, cast to `type` when that is given.
template <typename T, std::enable_if_t<internal::is_element_type_v<T>, int> = 0>
TensorPtr make_tensor_ptr(T value,
                          executorch::aten::ScalarType type = internal::deduce_scalar_type<T>()) {
  return make_tensor_ptr<T>(std::vector<executorch::aten::SizesType>{}, std::vector<T>{value}, {},
                            {}, type, executorch::aten::TensorShapeDynamism::STATIC);
}

/// A tensor that owns raw bytes and reads them as elements of `type`. There have to be exactly as
/// many bytes as the elements need.
TensorPtr make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes, std::vector<uint8_t> data,
                          std::vector<executorch::aten::DimOrderType> dim_order,
                          std::vector<executorch::aten::StridesType> strides,
                          executorch::aten::ScalarType type = executorch::aten::ScalarType::Byte,
                          executorch::aten::TensorShapeDynamism dynamism =
                              executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

inline TensorPtr make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes,
                                 std::vector<uint8_t> data, executorch::aten::ScalarType type,
                                 executorch::aten::TensorShapeDynamism dynamism =
                                     executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr(std::move(sizes), std::move(data), {}, {}, type, dynamism);
}

/// Bytes without a type are the memory of floats, unless there is one for each element.
inline TensorPtr make_tensor_ptr(std::vector<executorch::aten::SizesType> sizes,
                                 std::vector<uint8_t> data) {
  size_t count = 1;
  for (const executorch::aten::SizesType size : sizes) {
    count *= static_cast<size_t>(size);
  }
  const executorch::aten::ScalarType type = data.size() == count
                                                ? executorch::aten::ScalarType::Byte
                                                : executorch::aten::ScalarType::Float;
  return make_tensor_ptr(std::move(sizes), std::move(data), {}, {}, type);
}

/// A view: shares the data of `tensor` and has metadata of its own. New sizes may not ask for more
/// elements than there are; of the same rank, they keep the dim order unless another one or strides
/// are given. With a `deleter`, the last copy of the view calls it with the data pointer.
TensorPtr make_tensor_ptr(const executorch::aten::Tensor& tensor,
                          std::vector<executorch::aten::SizesType> sizes = {},
                          std::vector<executorch::aten::DimOrderType> dim_order = {},
                          std::vector<executorch::aten::StridesType> strides = {},
                          std::function<void(void*)> deleter = nullptr);

/// The same for a TensorPtr; the view keeps the original, and with it the data, alive.
TensorPtr make_tensor_ptr(const TensorPtr& tensor,
                          std::vector<executorch::aten::SizesType> sizes = {},
                          std::vector<executorch::aten::DimOrderType> dim_order = {},
                          std::vector<executorch::aten::StridesType> strides = {});

/// A deep copy that owns its data, cast to `type`.
TensorPtr clone_tensor_ptr(const executorch::aten::Tensor& tensor,
                           executorch::aten::ScalarType type);

/// A deep copy that owns its data.
inline TensorPtr clone_tensor_ptr(const executorch::aten::Tensor& tensor) {
  return clone_tensor_ptr(tensor, tensor.scalar_type());
}

inline TensorPtr clone_tensor_ptr(const TensorPtr& tensor, executorch::aten::ScalarType type) {
  return clone_tensor_ptr(*tensor, type);
}

inline TensorPtr clone_tensor_ptr(const TensorPtr& tensor) { return clone_tensor_ptr(*tensor); }

/// A deep copy on `device`, between the CPU and a device whose DeviceAllocator is registered. Stops
/// the process when there is none, when it fails, or when the tensor has no data to send there.
TensorPtr clone_tensor_ptr_to(const TensorPtr& tensor, executorch::aten::Device device);

/// Changes the sizes in place. NotSupported when the tensor is STATIC or has fewer elements than
/// `sizes` ask for, or the rank differs.
[[nodiscard]] runtime::Error resize_tensor_ptr(
    TensorPtr& tensor, const std::vector<executorch::aten::SizesType>& sizes);

}  // namespace extension
}  // namespace executorch
