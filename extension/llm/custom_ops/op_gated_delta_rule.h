/**
 * @file
 * Linear attention whose state forgets and corrects itself: `llama::gated_delta_rule.out` and
 * `llama::channelwise_gated_delta_rule.out`.
 */
#pragma once

#include <tuple>

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native {

/**
 * For all positions: S = decay * S, S += key (beta * (value - S^T key))^T, result = S^T query.
 * Everything is Float and contiguous; what does not fit sets the context's failure state.
 * @param query [batch, heads, positions, key_dim]; heads may share those of the key.
 * @param key [batch, key_heads, positions, key_dim].
 * @param value [batch, key_heads, positions, value_dim].
 * @param decay [batch, key_heads, positions], or one for each channel of the key (..., key_dim).
 * @param beta [batch, key_heads, positions].
 * @param initial_state [batch, key_heads, key_dim, value_dim].
 * @param out [batch, heads, positions, value_dim].
 * @param final_state_out As the initial state.
 */
std::tuple<Tensor&, Tensor&> gated_delta_rule_out(KernelRuntimeContext& ctx, const Tensor& query,
                                                  const Tensor& key, const Tensor& value,
                                                  const Tensor& decay, const Tensor& beta,
                                                  const Tensor& initial_state, Tensor& out,
                                                  Tensor& final_state_out);

/// The same.
std::tuple<Tensor&, Tensor&> channelwise_gated_delta_rule_out(
    KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& decay, const Tensor& beta, const Tensor& initial_state, Tensor& out,
    Tensor& final_state_out);

}  // namespace torch::executor::native
