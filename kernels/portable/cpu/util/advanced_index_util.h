/**
 * @file
 * Lists of index tensors, as `x[i, :, j]` has them: an entry without a tensor takes its dimension
 * whole; a tensor of truth values (Bool or Byte) stands for as many dimensions as it has, at the
 * indices where it is true.
 */
#pragma once

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

using IndexList = ArrayRef<optional<Tensor>>;

/// Of `index`; logs what is wrong. The range of the indices is not looked at.
bool check_index_args(const Tensor& in, IndexList indices, Tensor& out);

/// Runs of neighbouring entries with tensors. The indexed dimensions stay where they are if there
/// is one run, and come first if there are more.
size_t count_index_blocks(IndexList indices);

/// The common shape of the indices. @returns false, after a message, if there is none.
bool get_indices_broadcast_shape(IndexList indices, SizesType* ix_sizes, size_t* ix_ndim);
size_t get_indices_broadcast_ndim(IndexList indices);

/// How many dimensions the tensors of the list stand for.
size_t get_num_indexed_dims(IndexList indices);
size_t get_num_null_indices(IndexList indices);
size_t get_num_leading_null_indices(IndexList indices);

/// The sizes of `in[indices]`. @param adjacent There is one run of entries with tensors.
/// @returns false, after a message, if they are not defined.
bool get_index_out_target_size(const Tensor& in, IndexList indices, bool adjacent,
                               SizesType* out_sizes, size_t* out_ndim);

}  // namespace torch::executor
