/**
 * @file
 * Slices: their ends, and their elements.
 */
#pragma once

#include <cstdint>

#include <executorch/kernels/portable/cpu/util/copy_ops_util.h>
#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

/// Of `slice_scatter`; logs what is wrong. Those of `narrow_copy` and `slice_copy` are among the
/// operators that move data.
bool check_slice_scatter_args(const Tensor& input, const Tensor& src, int64_t dim,
                              int64_t num_values, int64_t step, Tensor output);

/**
 * Brings the ends of Python's `start:end:step` into [0, dim_length].
 * @param step Positive.
 * @returns the number of elements.
 */
int64_t adjust_slice_indices(int64_t dim_length, int64_t* start, int64_t* end, int64_t step);

/// Copies the `length` elements start, start + step, ... of dimension `dim` (not negative) to
/// `out`, which has its sizes. Fails the context if they are not inside, or the dtypes differ.
void compute_slice(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, int64_t start,
                   int64_t length, int64_t step, Tensor& out);

}  // namespace torch::executor
