#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace extension {

/// Collects the properties of a tensor over existing data one by one; see for_blob().
class TensorPtrMaker final {
 public:
  TensorPtrMaker(TensorPtrMaker&&) = default;
  TensorPtrMaker& operator=(TensorPtrMaker&&) = default;
  TensorPtrMaker(const TensorPtrMaker&) = delete;
  TensorPtrMaker& operator=(const TensorPtrMaker&) = delete;

  /// The element type; Float unless set.
  TensorPtrMaker&& type(executorch::aten::ScalarType type) {
    type_ = type;
    return std::move(*this);
  }

  /// The dimensions from the outermost in memory to the innermost.
  TensorPtrMaker&& dim_order(std::vector<executorch::aten::DimOrderType> dim_order) {
    dim_order_ = std::move(dim_order);
    return std::move(*this);
  }

  /// The steps along each dimension, in elements.
  TensorPtrMaker&& strides(std::vector<executorch::aten::StridesType> strides) {
    strides_ = std::move(strides);
    return std::move(*this);
  }

  /// Whether the tensor may be resized; DYNAMIC_BOUND unless set.
  TensorPtrMaker&& dynamism(executorch::aten::TensorShapeDynamism dynamism) {
    dynamism_ = dynamism;
    return std::move(*this);
  }

  /// Where the data is; on the CPU unless set.
  TensorPtrMaker&& device(executorch::aten::Device device) {
    device_ = device;
    return std::move(*this);
  }

  /// What to do with the data when the last copy of the tensor goes away.
  TensorPtrMaker&& deleter(std::function<void(void*)> deleter) {
    deleter_ = std::move(deleter);
    return std::move(*this);
  }

  /// The tensor itself. The maker is empty afterwards.
  TensorPtr make_tensor_ptr() && {
    return ::executorch::extension::make_tensor_ptr(std::move(sizes_), data_, std::move(dim_order_),
                                                    std::move(strides_), type_, device_, dynamism_,
                                                    std::move(deleter_));
  }

  operator TensorPtr() && { return std::move(*this).make_tensor_ptr(); }

 private:
  friend TensorPtrMaker for_blob(void* data, std::vector<executorch::aten::SizesType> sizes,
                                 executorch::aten::ScalarType type);

  TensorPtrMaker(void* data, std::vector<executorch::aten::SizesType> sizes,
                 executorch::aten::ScalarType type)
      : sizes_(std::move(sizes)), data_(data), type_(type) {}

  std::vector<executorch::aten::SizesType> sizes_;
  std::vector<executorch::aten::StridesType> strides_;
  std::vector<executorch::aten::DimOrderType> dim_order_;
  std::function<void(void*)> deleter_;
  void* data_;
  executorch::aten::ScalarType type_;
  executorch::aten::Device device_{executorch::aten::DeviceType::CPU, 0};
  executorch::aten::TensorShapeDynamism dynamism_ =
      executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND;
};

/// Starts a tensor over `data`, which the tensor does not own:
/// `for_blob(data, {2, 3}).strides({3, 1}).make_tensor_ptr()`.
inline TensorPtrMaker for_blob(
    void* data, std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float) {
  return TensorPtrMaker(data, std::move(sizes), type);
}

/// A tensor over `data`, which it does not own.
inline TensorPtr from_blob(void* data, std::vector<executorch::aten::SizesType> sizes,
                           executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                           executorch::aten::TensorShapeDynamism dynamism =
                               executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type).dynamism(dynamism).make_tensor_ptr();
}

/// The same for data on `device`.
inline TensorPtr from_blob(void* data, std::vector<executorch::aten::SizesType> sizes,
                           executorch::aten::ScalarType type, executorch::aten::Device device,
                           executorch::aten::TensorShapeDynamism dynamism =
                               executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type).device(device).dynamism(dynamism).make_tensor_ptr();
}

/// The same with strides.
inline TensorPtr from_blob(void* data, std::vector<executorch::aten::SizesType> sizes,
                           std::vector<executorch::aten::StridesType> strides,
                           executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                           executorch::aten::TensorShapeDynamism dynamism =
                               executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .strides(std::move(strides))
      .dynamism(dynamism)
      .make_tensor_ptr();
}

/// A tensor that hands `data` to `deleter` in the end.
inline TensorPtr from_blob(void* data, std::vector<executorch::aten::SizesType> sizes,
                           executorch::aten::ScalarType type, std::function<void(void*)>&& deleter,
                           executorch::aten::TensorShapeDynamism dynamism =
                               executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .deleter(std::move(deleter))
      .dynamism(dynamism)
      .make_tensor_ptr();
}

inline TensorPtr from_blob(void* data, std::vector<executorch::aten::SizesType> sizes,
                           std::vector<executorch::aten::StridesType> strides,
                           executorch::aten::ScalarType type, std::function<void(void*)>&& deleter,
                           executorch::aten::TensorShapeDynamism dynamism =
                               executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .strides(std::move(strides))
      .deleter(std::move(deleter))
      .dynamism(dynamism)
      .make_tensor_ptr();
}

/// With a device, on which the data is.
inline TensorPtr from_blob(void* data, std::vector<executorch::aten::SizesType> sizes,
                           executorch::aten::ScalarType type, executorch::aten::Device device,
                           std::function<void(void*)>&& deleter,
                           executorch::aten::TensorShapeDynamism dynamism =
                               executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .device(device)
      .deleter(std::move(deleter))
      .dynamism(dynamism)
      .make_tensor_ptr();
}

inline TensorPtr from_blob(void* data, std::vector<executorch::aten::SizesType> sizes,
                           std::vector<executorch::aten::StridesType> strides,
                           executorch::aten::ScalarType type, executorch::aten::Device device,
                           executorch::aten::TensorShapeDynamism dynamism =
                               executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .strides(std::move(strides))
      .device(device)
      .dynamism(dynamism)
      .make_tensor_ptr();
}

inline TensorPtr from_blob(void* data, std::vector<executorch::aten::SizesType> sizes,
                           std::vector<executorch::aten::StridesType> strides,
                           executorch::aten::ScalarType type, executorch::aten::Device device,
                           std::function<void(void*)>&& deleter,
                           executorch::aten::TensorShapeDynamism dynamism =
                               executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .strides(std::move(strides))
      .device(device)
      .deleter(std::move(deleter))
      .dynamism(dynamism)
      .make_tensor_ptr();
}

// The makers below own their data. `*_like` takes sizes, layout and, unless a type is given, the
// element type from `other`; `*_strided` takes strides in elements, which have to describe a tensor
// without gaps.

/// Elements of any value.
TensorPtr empty_strided(std::vector<executorch::aten::SizesType> sizes,
                        std::vector<executorch::aten::StridesType> strides,
                        executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                        executorch::aten::TensorShapeDynamism dynamism =
                            executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

inline TensorPtr empty(std::vector<executorch::aten::SizesType> sizes,
                       executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                       executorch::aten::TensorShapeDynamism dynamism =
                           executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return empty_strided(std::move(sizes), {}, type, dynamism);
}

TensorPtr empty_like(const TensorPtr& other,
                     executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
                     executorch::aten::TensorShapeDynamism dynamism =
                         executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

/// Every element is `fill_value`, cast to the element type.
TensorPtr full_strided(std::vector<executorch::aten::SizesType> sizes,
                       std::vector<executorch::aten::StridesType> strides,
                       executorch::aten::Scalar fill_value,
                       executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                       executorch::aten::TensorShapeDynamism dynamism =
                           executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

inline TensorPtr full(std::vector<executorch::aten::SizesType> sizes,
                      executorch::aten::Scalar fill_value,
                      executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                      executorch::aten::TensorShapeDynamism dynamism =
                          executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_strided(std::move(sizes), {}, fill_value, type, dynamism);
}

TensorPtr full_like(const TensorPtr& other, executorch::aten::Scalar fill_value,
                    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
                    executorch::aten::TensorShapeDynamism dynamism =
                        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

/// A tensor without dimensions that holds `value`, cast to `type`.
inline TensorPtr scalar_tensor(
    executorch::aten::Scalar value,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float) {
  return full({}, value, type, executorch::aten::TensorShapeDynamism::STATIC);
}

inline TensorPtr ones_strided(
    std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_strided(std::move(sizes), std::move(strides), 1, type, dynamism);
}

inline TensorPtr ones(std::vector<executorch::aten::SizesType> sizes,
                      executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                      executorch::aten::TensorShapeDynamism dynamism =
                          executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full(std::move(sizes), 1, type, dynamism);
}

inline TensorPtr ones_like(
    const TensorPtr& other,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_like(other, 1, type, dynamism);
}

inline TensorPtr zeros_strided(
    std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_strided(std::move(sizes), std::move(strides), 0, type, dynamism);
}

inline TensorPtr zeros(std::vector<executorch::aten::SizesType> sizes,
                       executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                       executorch::aten::TensorShapeDynamism dynamism =
                           executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full(std::move(sizes), 0, type, dynamism);
}

inline TensorPtr zeros_like(
    const TensorPtr& other,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_like(other, 0, type, dynamism);
}

/// Uniformly distributed in [0, 1).
TensorPtr rand_strided(std::vector<executorch::aten::SizesType> sizes,
                       std::vector<executorch::aten::StridesType> strides,
                       executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                       executorch::aten::TensorShapeDynamism dynamism =
                           executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

inline TensorPtr rand(std::vector<executorch::aten::SizesType> sizes,
                      executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                      executorch::aten::TensorShapeDynamism dynamism =
                          executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return rand_strided(std::move(sizes), {}, type, dynamism);
}

TensorPtr rand_like(const TensorPtr& other,
                    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
                    executorch::aten::TensorShapeDynamism dynamism =
                        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

/// Normally distributed with mean 0 and standard deviation 1.
TensorPtr randn_strided(std::vector<executorch::aten::SizesType> sizes,
                        std::vector<executorch::aten::StridesType> strides,
                        executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                        executorch::aten::TensorShapeDynamism dynamism =
                            executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

inline TensorPtr randn(std::vector<executorch::aten::SizesType> sizes,
                       executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
                       executorch::aten::TensorShapeDynamism dynamism =
                           executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return randn_strided(std::move(sizes), {}, type, dynamism);
}

TensorPtr randn_like(const TensorPtr& other,
                     executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
                     executorch::aten::TensorShapeDynamism dynamism =
                         executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

/// Whole numbers, uniformly distributed in [low, high).
TensorPtr randint_strided(int64_t low, int64_t high, std::vector<executorch::aten::SizesType> sizes,
                          std::vector<executorch::aten::StridesType> strides,
                          executorch::aten::ScalarType type = executorch::aten::ScalarType::Int,
                          executorch::aten::TensorShapeDynamism dynamism =
                              executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

inline TensorPtr randint(int64_t low, int64_t high, std::vector<executorch::aten::SizesType> sizes,
                         executorch::aten::ScalarType type = executorch::aten::ScalarType::Int,
                         executorch::aten::TensorShapeDynamism dynamism =
                             executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return randint_strided(low, high, std::move(sizes), {}, type, dynamism);
}

TensorPtr randint_like(const TensorPtr& other, int64_t low, int64_t high,
                       executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
                       executorch::aten::TensorShapeDynamism dynamism =
                           executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

}  // namespace extension
}  // namespace executorch
