/// @file
/// TensorFactory: tensors for tests, in one line each. Uses the heap; not for production code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace internal {

/// Element type of the vectors that data is given in: an integer for Bool, since the elements of
/// std::vector<bool> have no addresses, and for the types of bits, which numbers do not convert to.
template <::executorch::aten::ScalarType DTYPE>
struct ScalarTypeToCppTypeWrapper {
  using true_ctype = typename ScalarTypeToCppType<DTYPE>::type;
  using ctype = std::conditional_t<
      DTYPE == ::executorch::aten::ScalarType::Bool || isBitsType(DTYPE),
      std::conditional_t<sizeof(true_ctype) == sizeof(uint16_t), uint16_t, uint8_t>, true_ctype>;
};

/// Number of elements of a shape.
inline size_t sizes_to_numel(const std::vector<int32_t>& sizes) {
  size_t numel = 1;
  for (const int32_t size : sizes) {
    numel *= static_cast<size_t>(size);
  }
  return numel;
}

/// {0, 1, ..., rank - 1}.
inline std::vector<uint8_t> contiguous_dim_order(size_t rank) {
  std::vector<uint8_t> dim_order(rank);
  std::iota(dim_order.begin(), dim_order.end(), uint8_t{0});
  return dim_order;
}

/// {0, 2, 3, 1} or {0, 2, 3, 4, 1}.
inline std::vector<uint8_t> channels_last_dim_order(size_t rank) {
  ET_CHECK_MSG(rank == 4 || rank == 5, "channels last needs rank 4 or 5, got %zu", rank);
  std::vector<uint8_t> dim_order = {0};
  for (size_t i = 2; i < rank; ++i) {
    dim_order.push_back(static_cast<uint8_t>(i));
  }
  dim_order.push_back(1);
  return dim_order;
}

/// Dense strides, where an empty dimension counts as one of size 1. For any rank, since a test may
/// want more dimensions than the runtime takes.
inline std::vector<int32_t> strides_of(const std::vector<int32_t>& sizes,
                                       const std::vector<uint8_t>& dim_order) {
  std::vector<uint8_t> sorted = dim_order;
  std::sort(sorted.begin(), sorted.end());
  ET_CHECK_MSG(sorted == contiguous_dim_order(sizes.size()), "not a dim order");
  std::vector<int32_t> strides(sizes.size());
  int32_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[dim_order[i]] = stride;
    stride *= std::max(sizes[dim_order[i]], 1);
  }
  return strides;
}

/// Dim order of dense strides, which it checks against the sizes.
inline std::vector<uint8_t> dim_order_of(const std::vector<int32_t>& sizes,
                                         const std::vector<int32_t>& strides) {
  ET_CHECK_MSG(sizes.size() == strides.size(), "%zu sizes, but %zu strides", sizes.size(),
               strides.size());
  std::vector<uint8_t> dim_order = contiguous_dim_order(sizes.size());
  std::stable_sort(dim_order.begin(), dim_order.end(),
                   [&](uint8_t a, uint8_t b) { return strides[a] > strides[b]; });
  const std::vector<int32_t> dense = strides_of(sizes, dim_order);
  for (size_t i = 0; i < sizes.size(); ++i) {
    ET_CHECK_MSG(sizes[i] <= 1 || strides[i] == dense[i], "strides are not dense at dimension %zu",
                 i);
  }
  return dim_order;
}

}  // namespace internal

/// Makes tensors of one element type. The factory owns shapes and data: it must outlive its
/// tensors.
///
///   TensorFactory<ScalarType::Float> tf;
///   Tensor a = tf.make({2, 2}, {1, 2, 3, 4});
///   Tensor out = tf.zeros({2, 2}, TensorShapeDynamism::DYNAMIC_BOUND);
///
/// Wrong arguments (e.g. a wrong number of elements) abort.
template <::executorch::aten::ScalarType DTYPE>
class TensorFactory {
 public:
  using ctype = typename internal::ScalarTypeToCppTypeWrapper<DTYPE>::ctype;
  using true_ctype = typename ScalarTypeToCppType<DTYPE>::type;
  using Tensor = ::executorch::aten::Tensor;
  using StridesType = ::executorch::aten::StridesType;
  using DimOrderType = ::executorch::aten::DimOrderType;

  TensorFactory() = default;
  TensorFactory(const TensorFactory&) = delete;
  TensorFactory& operator=(const TensorFactory&) = delete;

  /// @param data    One value an element, in memory order.
  /// @param strides Dense strides; empty for contiguous.
  Tensor make(const std::vector<int32_t>& sizes, const std::vector<ctype>& data,
              const std::vector<StridesType>& strides = {},
              TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return add(sizes, data,
               strides.empty() ? internal::contiguous_dim_order(sizes.size())
                               : internal::dim_order_of(sizes, strides),
               strides, dynamism);
  }

  /// @param data      One value an element, in memory order.
  /// @param dim_order Empty for contiguous.
  Tensor make_with_dimorder(const std::vector<int32_t>& sizes, const std::vector<ctype>& data,
                            const std::vector<DimOrderType>& dim_order = {},
                            TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return add(sizes, data,
               dim_order.empty() ? internal::contiguous_dim_order(sizes.size()) : dim_order, {},
               dynamism);
  }

  /// A channels-last tensor of rank 4 or 5; `data` is in memory order.
  Tensor make_channels_last(const std::vector<int32_t>& sizes, const std::vector<ctype>& data,
                            const std::vector<DimOrderType>& dim_order = {},
                            TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return add(sizes, data,
               dim_order.empty() ? internal::channels_last_dim_order(sizes.size()) : dim_order, {},
               dynamism);
  }

  /// The contiguous tensor `input` as a channels-last tensor of the same values.
  Tensor channels_last_like(const Tensor& input,
                            TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    ET_CHECK_MSG(input.scalar_type() == DTYPE, "input has another dtype");
    const std::vector<int32_t> sizes(input.sizes().begin(), input.sizes().end());
    const std::vector<uint8_t> dim_order = internal::channels_last_dim_order(sizes.size());
    const std::vector<int32_t> strides = internal::strides_of(sizes, dim_order);
    const size_t numel = static_cast<size_t>(input.numel());
    std::vector<ctype> data(numel);
    const ctype* source = static_cast<const ctype*>(input.const_data_ptr());
    for (size_t i = 0; i < numel; ++i) {
      size_t coordinate[kTensorDimensionLimit];
      indexToCoordinate(input, i, coordinate);
      size_t target = 0;
      for (size_t d = 0; d < sizes.size(); ++d) {
        target += coordinate[d] * static_cast<size_t>(strides[d]);
      }
      data[target] = source[i];
    }
    return add(sizes, data, dim_order, {}, dynamism);
  }

  Tensor full(const std::vector<int32_t>& sizes, ctype value,
              TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return make(sizes, std::vector<ctype>(internal::sizes_to_numel(sizes), value), {}, dynamism);
  }

  Tensor full_channels_last(const std::vector<int32_t>& sizes, ctype value,
                            TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return make_channels_last(sizes, std::vector<ctype>(internal::sizes_to_numel(sizes), value), {},
                              dynamism);
  }

  /// A tensor of the shape and dim order of `input`.
  Tensor full_like(const Tensor& input, ctype value,
                   TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    const std::vector<int32_t> sizes(input.sizes().begin(), input.sizes().end());
    const std::vector<uint8_t> dim_order(input.dim_order().begin(), input.dim_order().end());
    return make_with_dimorder(sizes, std::vector<ctype>(static_cast<size_t>(input.numel()), value),
                              dim_order, dynamism);
  }

  Tensor zeros(const std::vector<int32_t>& sizes,
               TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return full(sizes, ctype(0), dynamism);
  }
  Tensor zeros_channels_last(const std::vector<int32_t>& sizes,
                             TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return full_channels_last(sizes, ctype(0), dynamism);
  }
  Tensor zeros_like(const Tensor& input,
                    TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return full_like(input, ctype(0), dynamism);
  }
  Tensor ones(const std::vector<int32_t>& sizes,
              TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return full(sizes, ctype(1), dynamism);
  }
  Tensor ones_channels_last(const std::vector<int32_t>& sizes,
                            TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return full_channels_last(sizes, ctype(1), dynamism);
  }
  Tensor ones_like(const Tensor& input,
                   TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return full_like(input, ctype(1), dynamism);
  }
  /// For outputs, whose first values do not matter; they are zeros here.
  Tensor empty_like(const Tensor& input,
                    TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return zeros_like(input, dynamism);
  }

 private:
  struct TensorMemory {
    std::vector<int32_t> sizes;
    std::vector<uint8_t> dim_order;
    std::vector<int32_t> strides;
    std::vector<ctype> data;
    std::unique_ptr<::executorch::aten::TensorImpl> impl;
  };

  Tensor add(const std::vector<int32_t>& sizes, const std::vector<ctype>& data,
             const std::vector<uint8_t>& dim_order, const std::vector<int32_t>& strides,
             TensorShapeDynamism dynamism) {
    static_assert(sizeof(ctype) == sizeof(true_ctype), "data is used in place");
    ET_CHECK_MSG(data.size() == internal::sizes_to_numel(sizes), "%zu values for %zu elements",
                 data.size(), internal::sizes_to_numel(sizes));
    ET_CHECK_MSG(dim_order.size() == sizes.size(), "%zu sizes, but a dim order of %zu",
                 sizes.size(), dim_order.size());
    auto memory = std::make_unique<TensorMemory>();
    memory->sizes = sizes;
    memory->dim_order = dim_order;
    memory->strides = strides.empty() ? internal::strides_of(sizes, dim_order) : strides;
    memory->data = data;
    memory->impl = std::make_unique<::executorch::aten::TensorImpl>(
        DTYPE, static_cast<ssize_t>(sizes.size()), memory->sizes.data(), memory->data.data(),
        memory->dim_order.data(), memory->strides.data(), dynamism);
    memories_.push_back(std::move(memory));
    return Tensor(memories_.back()->impl.get());
  }

  std::vector<std::unique_ptr<TensorMemory>> memories_;
};

/// Makes lists of tensors. The factory must outlive them.
template <::executorch::aten::ScalarType DTYPE>
class TensorListFactory final {
 public:
  TensorListFactory() = default;
  TensorListFactory(const TensorListFactory&) = delete;
  TensorListFactory& operator=(const TensorListFactory&) = delete;

  using ctype = typename TensorFactory<DTYPE>::ctype;

  /// Tensors of the shapes of `templates`, whatever their element types.
  ::executorch::aten::TensorList full_like(const std::vector<::executorch::aten::Tensor>& templates,
                                           ctype value) {
    std::vector<::executorch::aten::Tensor> tensors;
    for (const auto& t : templates) {
      tensors.push_back(factory_.full_like(t, value));
    }
    lists_.push_back(std::make_unique<std::vector<::executorch::aten::Tensor>>(tensors));
    return {lists_.back()->data(), lists_.back()->size()};
  }
  ::executorch::aten::TensorList zeros_like(
      const std::vector<::executorch::aten::Tensor>& templates) {
    return full_like(templates, ctype(0));
  }
  ::executorch::aten::TensorList ones_like(
      const std::vector<::executorch::aten::Tensor>& templates) {
    return full_like(templates, ctype(1));
  }

 private:
  TensorFactory<DTYPE> factory_;
  std::vector<std::unique_ptr<std::vector<::executorch::aten::Tensor>>> lists_;
};

}  // namespace testing
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
namespace testing {
using ::executorch::runtime::testing::TensorFactory;
using ::executorch::runtime::testing::TensorListFactory;
}  // namespace testing
}  // namespace executor
}  // namespace torch
