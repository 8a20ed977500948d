/**
 * @file
 * Linear layers with weights of four bits in groups: `llama::linear_4w.out`.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native {

/**
 * out[..., n] = sum over k of input[..., k] * (weight[n, k] - 8) * scale[n, k / group].
 *
 * Columns lie in blocks of 64, the last one filled up, so that a block is read from its begin to
 * its end.
 * @param input Float, contiguous, `[..., k]`.
 * @param weight Byte, `[blocks, k, 32]`: column j of a block is the low half of byte j, and column
 *     32 + j the high one.
 * @param scales Float, `[blocks, groups, 64]`, of groups of `k / groups` elements.
 * @param columns The outputs of the layer.
 */
Tensor& linear_4w_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
                      const Tensor& scales, int64_t columns, Tensor& out);

}  // namespace torch::executor::native
