/**
 * @file
 * The operators that move data: checks of their arguments, and the sizes of what they give.
 *
 * The checks log what is wrong. The functions for sizes write at most kTensorDimensionLimit of them
 * and the rank, and expect arguments that have been checked.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/kernels/portable/cpu/util/broadcast_indexes_range.h>
#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

/// Copies the elements at `stride` from `offset` on to the contiguous `out`, whose sizes are
/// `size`.
template <typename CTYPE>
void as_strided_copy(const Tensor& in, ArrayRef<int64_t> size, ArrayRef<int64_t> stride,
                     int64_t offset, Tensor& out) {
  const CTYPE* const source = in.const_data_ptr<CTYPE>() + offset;
  CTYPE* const target = out.mutable_data_ptr<CTYPE>();
  int64_t index[kTensorDimensionLimit] = {};
  int64_t position = 0;
  for (ssize_t i = 0; i < out.numel(); ++i) {
    target[i] = source[position];
    for (size_t d = size.size(); d-- > 0;) {
      position += stride[d];
      if (++index[d] < size[d]) {
        break;
      }
      position -= stride[d] * size[d];
      index[d] = 0;
    }
  }
}

/// Copies elements with conversion, whatever the dim orders.
template <typename SELF_CTYPE, typename OUT_CTYPE>
void _to_dim_order_copy_impl(const Tensor& self, Tensor& out) {
  const SELF_CTYPE* const source = self.const_data_ptr<SELF_CTYPE>();
  OUT_CTYPE* const target = out.mutable_data_ptr<OUT_CTYPE>();
  for (const auto& at : BroadcastIndexesRange<1, true>(out, self)) {
    target[at[0]] = executorch::runtime::convert<OUT_CTYPE>(source[at[1]]);
  }
}

bool check_as_strided_copy_args(const Tensor& in, ArrayRef<int64_t> size, ArrayRef<int64_t> stride,
                                optional<int64_t> storage_offset, Tensor& out);

bool check_cat_args(ArrayRef<Tensor> tensors, int64_t dim, Tensor& out);
void get_cat_out_target_size(ArrayRef<Tensor> tensors, int64_t dim, SizesType* out_sizes,
                             size_t* out_ndim);

bool check_diagonal_copy_args(const Tensor& in, int64_t dim1, int64_t dim2, Tensor& out);
void get_diagonal_copy_out_target_size(const Tensor& in, int64_t offset, int64_t dim1, int64_t dim2,
                                       SizesType* out_sizes, size_t* out_ndim);

bool check_expand_copy_args(const Tensor& self, ArrayRef<int64_t> expand_sizes, bool implicit,
                            Tensor& out);
/// @returns false if `self_sizes` does not expand to `expand_sizes`, in which -1 keeps a size.
bool get_expand_copy_out_target_size(ArrayRef<SizesType> self_sizes, ArrayRef<int64_t> expand_sizes,
                                     SizesType* output_sizes, size_t* output_rank);

bool check_narrow_copy_args(const Tensor& in, int64_t dim, int64_t start, int64_t length,
                            Tensor& out);
void get_narrow_copy_out_target_size(const Tensor& in, int64_t dim, int64_t length,
                                     SizesType* out_sizes, size_t* out_ndim);

bool check_permute_copy_args(const Tensor& in, IntArrayRef dims, Tensor& out);
void get_permute_copy_out_target_size(const Tensor& in, IntArrayRef dims, SizesType* out_sizes,
                                      size_t* out_ndim);

bool check_pixel_shuffle_args(const Tensor& in, int64_t upscale_factor, Tensor& out);
void get_pixel_shuffle_out_target_size(const Tensor& in, int64_t upscale_factor,
                                       SizesType* out_sizes, size_t* out_ndim);

bool check_pixel_unshuffle_args(const Tensor& in, int64_t downscale_factor, Tensor& out);
void get_pixel_unshuffle_out_target_size(const Tensor& in, int64_t downscale_factor,
                                         SizesType* out_sizes, size_t* out_ndim);

bool check_select_copy_out_args(const Tensor& in, int64_t dim, int64_t index, Tensor& out);
void get_select_copy_out_target_size(const Tensor& in, int64_t dim, SizesType* out_sizes,
                                     size_t* out_ndim);

bool check_slice_copy_args(const Tensor& in, int64_t dim, int64_t step, Tensor& out);
void get_slice_copy_out_target_size(const Tensor& in, int64_t dim, int64_t length,
                                    SizesType* out_sizes, size_t* out_ndim);

/// @param out The pieces; their sizes are checked, too.
bool check_split_copy_args(const Tensor& input, int64_t split_size, int64_t dim,
                           ArrayRef<Tensor> out);

bool check_split_with_sizes_copy_args(const Tensor& in, ArrayRef<int64_t> split_sizes, int64_t dim,
                                      ArrayRef<Tensor> out);
void get_split_with_sizes_copy_out_target_size(const Tensor& in, int64_t split_size, int64_t dim,
                                               SizesType* out_sizes, size_t* out_ndim);

bool check_squeeze_copy_dim_args(const Tensor in, int64_t dim, const Tensor out);
void get_squeeze_copy_dim_out_target_size(const Tensor in, int64_t dim, SizesType* out_sizes,
                                          size_t* out_ndim);

bool check_squeeze_copy_dims_args(const Tensor in, const ArrayRef<int64_t> dims, const Tensor out);
void get_squeeze_copy_dims_out_target_size(const Tensor in, const ArrayRef<int64_t> dims,
                                           SizesType* out_sizes, size_t* out_ndim);

bool check_stack_args(ArrayRef<Tensor> tensors, int64_t dim, Tensor& out);
void get_stack_out_target_size(ArrayRef<Tensor> tensors, int64_t dim, SizesType* out_sizes,
                               size_t* out_ndim);

bool check_tril_args(const Tensor& in, Tensor& out);

bool check_unbind_copy_args(const Tensor& in, int64_t dim, ArrayRef<Tensor> out);

bool check_unfold_copy_args(const Tensor& self, int64_t dim, int64_t size, int64_t step);
void get_unfold_copy_out_target_size(const Tensor& self, int64_t dim, int64_t size, int64_t step,
                                     SizesType* out_sizes, size_t* out_ndim);

bool check_unsqueeze_copy_args(const Tensor input, int64_t dim, const Tensor out);

bool check_view_copy_args(const Tensor& self, ArrayRef<int64_t> size_int64_t, Tensor& out);
/// The sizes with -1 replaced. @returns false if the tensor has another number of elements.
bool get_view_copy_target_size(const Tensor input, ArrayRef<int64_t> size_int64_t, int64_t dim,
                               SizesType* out_sizes);

void get_view_as_real_copy_out_target_size(const Tensor& self, SizesType* out_sizes);

bool check_to_copy_args(const Tensor& input, bool non_blocking,
                        optional<executorch::aten::MemoryFormat> memory_format, Tensor& out);

bool check__to_dim_order_copy_args(const Tensor& input, bool non_blocking,
                                   executorch::aten::OptionalArrayRef<int64_t> dim_order,
                                   Tensor& out);

}  // namespace torch::executor
