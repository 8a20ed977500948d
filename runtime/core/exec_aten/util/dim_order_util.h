/// @file
/// Dim orders: the dimensions of a tensor from outermost to innermost in memory.
///
/// {0, 1, 2, 3} is contiguous (NCHW), {0, 2, 3, 1} is channels last (NHWC).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/irange.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// A permutation of 0..dims-1 with at most kTensorDimensionLimit entries.
template <typename DimOrderType>
bool validate_dim_order(const DimOrderType* dim_order, size_t dims) {
  if (dims > kTensorDimensionLimit) {
    return false;
  }
  static_assert(kTensorDimensionLimit <= 32, "the set of dimensions must fit into the mask");
  uint32_t seen = 0;
  for (size_t i = 0; i < dims; ++i) {
    const size_t dim = static_cast<size_t>(dim_order[i]);
    if (dim >= dims || (seen & (1u << dim)) != 0) {
      return false;
    }
    seen |= 1u << dim;
  }
  return true;
}

/// {0, 1, ..., dims-1}.
template <typename DimOrderType>
inline bool is_contiguous_dim_order(const DimOrderType* dim_order, size_t dims) {
  for (size_t i = 0; i < dims; ++i) {
    if (static_cast<size_t>(dim_order[i]) != i) {
      return false;
    }
  }
  return true;
}

/// {0, 2, 3, 1} or {0, 2, 3, 4, 1}. False for ranks other than 4 and 5, which have no such format.
template <typename DimOrderType>
bool is_channels_last_dim_order(const DimOrderType* dim_order, size_t dims) {
  if (dims != 4 && dims != 5) {
    return false;
  }
  if (dim_order[0] != 0 || dim_order[dims - 1] != 1) {
    return false;
  }
  for (size_t i = 1; i + 1 < dims; ++i) {
    if (static_cast<size_t>(dim_order[i]) != i + 1) {
      return false;
    }
  }
  return true;
}

/// Computes dense strides for a dim order that is known to be valid. Sizes of 0 count as 1, as in
/// PyTorch. Strides must fit into StridesType.
template <typename SizesType, typename DimOrderType, typename StridesType>
inline void dim_order_to_stride_nocheck(const SizesType* sizes, const DimOrderType* dim_order,
                                        size_t dims, StridesType* strides) {
  StridesType stride = 1;
  for (size_t i = dims; i-- > 0;) {
    const size_t dim = static_cast<size_t>(dim_order[i]);
    strides[dim] = stride;
    if (i > 0) {
      stride = static_cast<StridesType>(stride * (sizes[dim] == 0 ? 1 : sizes[dim]));
    }
  }
}

/// Computes dense strides. Sizes of 0 count as 1, as in PyTorch.
///
/// @param[out] strides `dims` strides, indexed by dimension; untouched on failure.
/// @retval Error::InvalidArgument The dim order is not a permutation, a size is negative, or a
///                                stride does not fit into StridesType.
template <typename SizesType, typename DimOrderType, typename StridesType>
ET_NODISCARD inline Error dim_order_to_stride(const SizesType* sizes, const DimOrderType* dim_order,
                                              size_t dims, StridesType* strides) {
  if (dims == 0) {
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(
      sizes != nullptr && dim_order != nullptr && strides != nullptr &&
          dims <= kTensorDimensionLimit,
      InvalidArgument, "strides of %zu dimensions: an array is missing or the rank too high", dims);
  ET_CHECK_OR_RETURN_ERROR(validate_dim_order(dim_order, dims), InvalidArgument,
                           "dim order is not a permutation of 0..%zu", dims - 1);
  StridesType computed[kTensorDimensionLimit];
  StridesType stride = 1;
  for (size_t i = dims; i-- > 0;) {
    const size_t dim = static_cast<size_t>(dim_order[i]);
    computed[dim] = stride;
    const SizesType size = sizes[dim];
    ET_CHECK_OR_RETURN_ERROR(!(size < 0), InvalidArgument, "size of dimension %zu is negative",
                             dim);
    if (i > 0 && size > 1) {
      ET_CHECK_OR_RETURN_ERROR(
          static_cast<uint64_t>(size) <=
              static_cast<uint64_t>(std::numeric_limits<StridesType>::max() / stride),
          InvalidArgument, "strides overflow at dimension %zu of size %lld", dim,
          static_cast<long long>(size));
      stride = static_cast<StridesType>(stride * size);
    }
  }
  for (size_t i = 0; i < dims; ++i) {
    strides[i] = computed[i];
  }
  return Error::Ok;
}

/// Dim order of a dense tensor with the given strides: dimensions by falling stride, and by index
/// where strides are equal (so that dimensions of size 1 keep their place).
///
/// @retval Error::InvalidArgument A null array, too high a rank, or a stride that is not positive.
template <typename StridesType, typename DimOrderType>
ET_NODISCARD inline Error stride_to_dim_order(const StridesType* strides, size_t dims,
                                              DimOrderType* dim_order) {
  if (dims == 0) {
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(
      strides != nullptr && dim_order != nullptr && dims <= kTensorDimensionLimit, InvalidArgument,
      "dim order of %zu dimensions: an array is missing or the rank too high", dims);
  for (size_t i = 0; i < dims; ++i) {
    ET_CHECK_OR_RETURN_ERROR(strides[i] > 0, InvalidArgument,
                             "stride of dimension %zu is %lld; only dense tensors have a dim order",
                             i, static_cast<long long>(strides[i]));
  }
  // Insertion sort: stable, and right for at most 16 entries.
  for (size_t i = 0; i < dims; ++i) {
    size_t place = i;
    while (place > 0 && strides[static_cast<size_t>(dim_order[place - 1])] < strides[i]) {
      dim_order[place] = dim_order[place - 1];
      --place;
    }
    dim_order[place] = static_cast<DimOrderType>(i);
  }
  return Error::Ok;
}

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::dim_order_to_stride;
using ::executorch::runtime::dim_order_to_stride_nocheck;
using ::executorch::runtime::is_channels_last_dim_order;
using ::executorch::runtime::is_contiguous_dim_order;
using ::executorch::runtime::stride_to_dim_order;
using ::executorch::runtime::validate_dim_order;
}  // namespace executor
}  // namespace torch
