/**
 * @file
 * Softmax and its logarithm.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native::util {

/**
 * Writes softmax(in), or its logarithm, along `dim` to `out`.
 * @param half_to_float As in eager only meaningful on other devices; must be false.
 */
Tensor& softmax(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool half_to_float,
                bool logarithm, Tensor& out);

}  // namespace torch::executor::native::util
