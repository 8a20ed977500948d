/// @file
/// Index arithmetic on tensors.
#pragma once

#include <cinttypes>
#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

/// `dim` is in [-upper_bound, upper_bound).
inline bool dim_is_valid(int64_t dim, int64_t upper_bound) {
  return dim >= -upper_bound && dim < upper_bound;
}

/// Rank, but 1 for tensors of rank 0: the bound for dimension arguments.
inline ssize_t nonzero_dim(const ::executorch::aten::Tensor& tensor) {
  return tensor.dim() == 0 ? 1 : tensor.dim();
}

/// Size of dimension `dim`, but 1 for tensors of rank 0.
inline ssize_t nonempty_size(const ::executorch::aten::Tensor& tensor, ssize_t dim) {
  return tensor.dim() == 0 ? 1 : tensor.size(dim);
}

/// Product of the sizes of the dimensions before `dim`; 1 for dim 0. Aborts outside of [0, rank].
inline size_t getLeadingDims(const ::executorch::aten::Tensor& tensor, int64_t dim) {
  ET_CHECK_MSG(dim >= 0 && dim <= tensor.dim(), "dimension %" PRId64 " of a tensor of rank %zd",
               dim, static_cast<ssize_t>(tensor.dim()));
  size_t product = 1;
  for (int64_t i = 0; i < dim; ++i) {
    product *= static_cast<size_t>(tensor.sizes()[static_cast<size_t>(i)]);
  }
  return product;
}

/// Product of the sizes of the dimensions after `dim`; dim -1 gives the number of elements. Aborts
/// outside of [-1, rank).
inline size_t getTrailingDims(const ::executorch::aten::Tensor& tensor, int64_t dim) {
  ET_CHECK_MSG(dim >= -1 && dim < tensor.dim(), "dimension %" PRId64 " of a tensor of rank %zd",
               dim, static_cast<ssize_t>(tensor.dim()));
  size_t product = 1;
  for (int64_t i = dim + 1; i < tensor.dim(); ++i) {
    product *= static_cast<size_t>(tensor.sizes()[static_cast<size_t>(i)]);
  }
  return product;
}

/// Position in a contiguous tensor of the element at `coordinate` (one entry a dimension).
inline size_t coordinateToIndex(const ::executorch::aten::Tensor& tensor,
                                const size_t* const coordinate) {
  size_t index = 0;
  const auto sizes = tensor.sizes();
  for (size_t d = 0; d < sizes.size(); ++d) {
    index = index * static_cast<size_t>(sizes[d]) + coordinate[d];
  }
  return index;
}

/// Fills `trailing_dims` (one entry a dimension) with getTrailingDims() of every dimension.
inline void memoizeTrailingDims(const ::executorch::aten::Tensor& tensor,
                                size_t trailing_dims[kTensorDimensionLimit]) {
  const auto sizes = tensor.sizes();
  size_t product = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    trailing_dims[d] = product;
    product *= static_cast<size_t>(sizes[d]);
  }
}

/// coordinateToIndex() with the result of memoizeTrailingDims().
inline size_t coordinateToIndexWithTrailingDimsMemo(
    const ::executorch::aten::Tensor& tensor, const size_t* const coordinate,
    const size_t trailing_dims[kTensorDimensionLimit]) {
  size_t index = 0;
  for (ssize_t d = 0; d < tensor.dim(); ++d) {
    index += coordinate[d] * trailing_dims[d];
  }
  return index;
}

/// Coordinate of the element at position `index` of a contiguous tensor without empty dimensions.
inline void indexToCoordinate(const ::executorch::aten::Tensor& tensor, size_t index,
                              size_t* coordinate) {
  const auto sizes = tensor.sizes();
  for (size_t d = sizes.size(); d-- > 0;) {
    const size_t size = static_cast<size_t>(sizes[d]);
    coordinate[d] = index % size;
    index /= size;
  }
}

/// Position of an element from its coordinate and the strides.
inline size_t calculate_linear_index(const ::executorch::aten::SizesType* coordinate,
                                     const ::executorch::aten::StridesType* strides, size_t ndim) {
  size_t index = 0;
  for (size_t d = 0; d < ndim; ++d) {
    index += static_cast<size_t>(coordinate[d]) * static_cast<size_t>(strides[d]);
  }
  return index;
}

}  // namespace runtime
}  // namespace executorch
