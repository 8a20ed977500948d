/**
 * @file
 * What masks select.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native::optimized {

/**
 * `out` takes the elements of `in` where `mask`, a contiguous Bool tensor of its shape, is true.
 * @returns false for what this is not for; then nothing was written. Otherwise the work is done, or
 * has failed through the context.
 */
bool run_masked_select(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mask,
                       Tensor& out);

}  // namespace torch::executor::native::optimized
