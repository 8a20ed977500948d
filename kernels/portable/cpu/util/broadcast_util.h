/**
 * @file
 * Broadcasting: which shapes go together, what comes out, and where elements are.
 */
#pragma once

#include <executorch/kernels/portable/cpu/util/broadcast_indexes_range.h>
#include <executorch/kernels/portable/cpu/util/delinearize_index.h>
#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

/// True if a tensor of the first shape expands to the second one.
bool tensor_is_broadcastable_to(ArrayRef<SizesType> broadcast_from_shape,
                                ArrayRef<SizesType> broadcast_to_shape);
bool tensor_is_broadcastable_to(const Tensor& broadcast_from, const Tensor& broadcast_to);

/// True if the two shapes have a common one.
bool tensors_are_broadcastable_between(ArrayRef<SizesType> a_shape, ArrayRef<SizesType> b_shape);
bool tensors_are_broadcastable_between(const Tensor& a, const Tensor& b);

/**
 * A contiguous copy of `broadcast_from`, expanded to the shape of `broadcast_to`, in memory from
 * the platform (`et_pal_allocate`). Give it back with `free_broadcast_tensor`. Aborts if the shapes
 * do not fit or there is no memory. For tests; a kernel uses BroadcastIndexesRange.
 */
Tensor broadcast_tensor(const Tensor& broadcast_from, const Tensor& broadcast_to);

/// Frees what `broadcast_tensor` returned.
void free_broadcast_tensor(const Tensor& broadcast_tensor);

/**
 * The common shape of two shapes.
 *
 * @param out_sizes Takes the sizes.
 * @param out_sizes_len Room in `out_sizes`.
 * @param out_dim Takes the rank.
 * @retval Error::InvalidArgument There is no common shape, or not enough room for it.
 */
ET_NODISCARD Error get_broadcast_target_size(ArrayRef<SizesType> a_size, ArrayRef<SizesType> b_size,
                                             SizesType* out_sizes, const size_t out_sizes_len,
                                             size_t* out_dim);
ET_NODISCARD Error get_broadcast_target_size(const Tensor& a, const Tensor& b, SizesType* out_sizes,
                                             const size_t out_sizes_len, size_t* out_dim);

/// Resizes `out` to the common shape of the tensors. Errors: those of `get_broadcast_target_size`
/// and of `resize_tensor`.
ET_NODISCARD Error resize_to_broadcast_target_size(const Tensor& a, const Tensor& b, Tensor& out);
ET_NODISCARD Error resize_to_broadcast_target_size(const Tensor& a, const Tensor& b,
                                                   const Tensor& c, Tensor& out);

/**
 * Position in a broadcast tensor of the element that belongs to an index of the common shape.
 *
 * @param indexes_broadcast_to One index a dimension of the common shape.
 * @param broadcast_to_ndim Rank of the common shape.
 */
size_t linearize_access_indexes(ArrayRef<size_t> indexes_broadcast_to, ssize_t broadcast_to_ndim,
                                ArrayRef<SizesType> broadcast_from_shape,
                                ArrayRef<StridesType> broadcast_from_strides);
size_t linearize_access_indexes(ArrayRef<size_t> indexes_broadcast_to, ssize_t broadcast_to_ndim,
                                const Tensor& broadcast_from);

/**
 * out = compute_fun(a, b) for each element. The function gets and returns values of the tensors'
 * types; convert in it where they differ.
 *
 * @param out Already has the common shape.
 */
template <typename CTYPE_A, typename CTYPE_B, typename CTYPE_OUT, typename Op>
void apply_binary_elementwise_fn(const Op& compute_fun, const Tensor& a, const Tensor& b,
                                 const Tensor& out) {
  const CTYPE_A* const a_data = a.const_data_ptr<CTYPE_A>();
  const CTYPE_B* const b_data = b.const_data_ptr<CTYPE_B>();
  CTYPE_OUT* const out_data = out.mutable_data_ptr<CTYPE_OUT>();
  for (const auto& at : BroadcastIndexesRange<2>(out, a, b)) {
    out_data[at[0]] = compute_fun(a_data[at[1]], b_data[at[2]]);
  }
}

/// The same for three inputs.
template <typename CTYPE_A, typename CTYPE_B, typename CTYPE_C, typename CTYPE_OUT, typename Op>
void apply_ternary_elementwise_fn(const Op& compute_fun, const Tensor& a, const Tensor& b,
                                  const Tensor& c, const Tensor& out) {
  const CTYPE_A* const a_data = a.const_data_ptr<CTYPE_A>();
  const CTYPE_B* const b_data = b.const_data_ptr<CTYPE_B>();
  const CTYPE_C* const c_data = c.const_data_ptr<CTYPE_C>();
  CTYPE_OUT* const out_data = out.mutable_data_ptr<CTYPE_OUT>();
  for (const auto& at : BroadcastIndexesRange<3>(out, a, b, c)) {
    out_data[at[0]] = compute_fun(a_data[at[1]], b_data[at[2]], c_data[at[3]]);
  }
}

}  // namespace torch::executor
