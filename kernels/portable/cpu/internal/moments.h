/**
 * @file
 * Mean and variance over any set of dimensions.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/reduce.h>

namespace torch::executor::native::util {

/// Writes the mean over `dim` (all dimensions if empty) to `out`, which has a floating dtype.
/// @returns false after setting the context's failure state.
bool mean(KernelRuntimeContext& ctx, const Tensor& in, const OptionalArrayRef<int64_t>& dim,
          bool keepdim, Tensor& out);

/// Writes the variance over `dim` to `out`: the squared distances from the mean, divided by the
/// number of elements minus `correction`. Both tensors have floating dtypes.
/// @returns false after setting the context's failure state.
bool variance(KernelRuntimeContext& ctx, const Tensor& in, const OptionalArrayRef<int64_t>& dim,
              double correction, bool keepdim, Tensor& out);

}  // namespace torch::executor::native::util
