/**
 * @file
 * Padding with what is inside, in up to three dimensions, the last ones: checks of the arguments,
 * which log what is wrong, sizes, and where the padding's elements come from.
 */
#pragma once

#include <cstdint>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

/**
 * @param n Number of padded dimensions; `padding` has a pair for each, the last dimension's first.
 * @param reflection Padding is smaller than the dimension.
 */
bool check_padding_args(int64_t n, const Tensor& in, ArrayRef<int64_t> padding, Tensor& out,
                        bool reflection = false);
void get_padding_out_target_size(int64_t n, const Tensor& in, ArrayRef<int64_t> padding,
                                 SizesType* out_sizes, size_t* out_ndim);

/// Where element `j` of a dimension of `size` with `pad` elements in front comes from, mirrored at
/// the edges.
inline int64_t reflection_ix(int64_t j, int64_t size, int64_t pad) {
  const int64_t at = j - pad;
  if (at < 0) {
    return -at;
  }
  return at < size ? at : 2 * (size - 1) - at;
}

/// The same with edges repeated.
inline int64_t replication_ix(int64_t j, int64_t size, int64_t pad) {
  const int64_t at = j - pad;
  return at < 0 ? 0 : at < size ? at : size - 1;
}

namespace internal {

/// Pads the last `n` dimensions of a contiguous tensor.
template <typename CTYPE, typename PaddingIx>
void pad_last_dims(size_t n, const PaddingIx& padding_ix, const Tensor& in, Tensor& out,
                   ArrayRef<int64_t> padding) {
  const CTYPE* const source = in.const_data_ptr<CTYPE>();
  CTYPE* const target = out.mutable_data_ptr<CTYPE>();
  const size_t rank = in.sizes().size();
  size_t index[kTensorDimensionLimit] = {};
  for (ssize_t i = 0; i < out.numel(); ++i) {
    int64_t position = 0;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t size = in.sizes()[d];
      const int64_t at = static_cast<int64_t>(index[d]);
      const bool is_padded = d + n >= rank;
      position =
          position * size + (is_padded ? padding_ix(at, size, padding[2 * (rank - 1 - d)]) : at);
    }
    target[i] = source[position];
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < static_cast<size_t>(out.sizes()[d])) {
        break;
      }
      index[d] = 0;
    }
  }
}

}  // namespace internal

/// Pads the last dimension, or the last two or three, of a contiguous tensor. `padding_ix` is
/// `reflection_ix`, `replication_ix` or a function like them; `out` has its sizes.
template <typename CTYPE, typename PaddingIx>
void pad1d(const PaddingIx& padding_ix, const Tensor& in, Tensor& out, ArrayRef<int64_t> padding) {
  internal::pad_last_dims<CTYPE>(1, padding_ix, in, out, padding);
}
template <typename CTYPE, typename PaddingIx>
void pad2d(const PaddingIx& padding_ix, const Tensor& in, Tensor& out, ArrayRef<int64_t> padding) {
  internal::pad_last_dims<CTYPE>(2, padding_ix, in, out, padding);
}
template <typename CTYPE, typename PaddingIx>
void pad3d(const PaddingIx& padding_ix, const Tensor& in, Tensor& out, ArrayRef<int64_t> padding) {
  internal::pad_last_dims<CTYPE>(3, padding_ix, in, out, padding);
}

}  // namespace torch::executor
