/**
 * @file
 * Transpositions of two dimensions.
 */
#pragma once

#include <cstdint>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

/// `a` with dimensions `dim0` and `dim1`, which may be negative, exchanged. T is an element type of
/// the tensors' element size. `out` has the sizes, in contiguous order.
template <typename T>
void transpose_tensors(const Tensor& a, int64_t dim0, int64_t dim1, Tensor& out) {
  const size_t rank = a.sizes().size();
  const T* const source = a.const_data_ptr<T>();
  T* const target = out.mutable_data_ptr<T>();
  ptrdiff_t stride[kTensorDimensionLimit];
  size_t index[kTensorDimensionLimit] = {};
  for (size_t d = 0; d < rank; ++d) {
    stride[d] = a.strides()[d];
  }
  if (rank > 0) {
    const size_t first = static_cast<size_t>(ET_NORMALIZE_IX(dim0, a.dim()));
    const size_t second = static_cast<size_t>(ET_NORMALIZE_IX(dim1, a.dim()));
    const ptrdiff_t exchanged = stride[first];
    stride[first] = stride[second];
    stride[second] = exchanged;
  }
  ptrdiff_t position = 0;
  for (ssize_t i = 0; i < out.numel(); ++i) {
    target[i] = source[position];
    for (size_t d = rank; d-- > 0;) {
      position += stride[d];
      if (++index[d] < static_cast<size_t>(out.sizes()[d])) {
        break;
      }
      position -= stride[d] * out.sizes()[d];
      index[d] = 0;
    }
  }
}

/// Of `t_copy`; logs what is wrong.
inline bool check_t_copy_args(const Tensor& in, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensor_has_rank_smaller_or_equal_to(in, 2));
  return true;
}

/// Of `transpose_copy`; logs what is wrong.
inline bool check_transpose_copy_args(const Tensor& in, int64_t dim0, int64_t dim1, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensor_has_dim(in, dim0));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensor_has_dim(in, dim1));
  return true;
}

/// The sizes of the transposed tensor.
inline void get_transpose_out_target_size(const Tensor& in, int64_t dim0, int64_t dim1,
                                          SizesType* out_sizes, size_t* out_ndim) {
  *out_ndim = in.sizes().size();
  for (size_t d = 0; d < *out_ndim; ++d) {
    out_sizes[d] = in.sizes()[d];
  }
  if (*out_ndim > 0) {
    const size_t first = static_cast<size_t>(ET_NORMALIZE_IX(dim0, in.dim()));
    const size_t second = static_cast<size_t>(ET_NORMALIZE_IX(dim1, in.dim()));
    out_sizes[first] = in.sizes()[second];
    out_sizes[second] = in.sizes()[first];
  }
}

}  // namespace torch::executor
