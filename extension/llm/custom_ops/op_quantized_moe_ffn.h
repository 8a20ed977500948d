/**
 * @file
 * A mixture of experts whose weights have four bits: `llama::quantized_moe_ffn.out`.
 */
#pragma once

#include <string_view>

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native {

/**
 * Each token goes to the experts that the gate rates highest, and has the weighted sum of
 *
 *     w2(silu(w1(x)) * w3(x))
 *
 * over them.
 *
 * With `softmax` the weights are the softmax of the chosen ratings. With `sigmoid` a rating is the
 * logistic function of the gate's, the choice is by rating plus `expert_bias`, and the weights are
 * the ratings without it, divided by their sum and multiplied by `route_scale`.
 * @param x Float, contiguous, `[tokens, dim]`.
 * @param gate_weight Float, `[experts, dim]`.
 * @param expert_bias Float, `[experts]`, or empty.
 * @param packed_w13 Byte, `[experts, bytes]`: for each expert the rows of w1 and behind them those
 *     of w3 as one weight of four bits (weight_4w.h), its lines and then its scales.
 * @param packed_w2 Byte, `[experts, bytes]`: likewise w2, `[dim, hidden_dim]`.
 * @param group_size Weights of a row that have a scale in common; divides `dim` and `hidden_dim`.
 * @param weight_nbit Four.
 */
Tensor& quantized_moe_ffn_out(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& gate_weight,
                              const Tensor& expert_bias, const Tensor& packed_w13,
                              const Tensor& packed_w2, int64_t num_activated_experts,
                              int64_t num_experts, int64_t hidden_dim, int64_t dim,
                              int64_t group_size, int64_t weight_nbit, std::string_view score_func,
                              double route_scale, Tensor& out);

}  // namespace torch::executor::native
