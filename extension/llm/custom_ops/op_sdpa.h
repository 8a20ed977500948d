/**
 * @file
 * Attention over caches of keys and values: `llama::custom_sdpa.out`,
 * `llama::sdpa_with_kv_cache.out` and `llama::custom_quantized_sdpa.out`.
 *
 * Tensors are [batch, positions, heads, head_dim]; heads of the query may share those of the keys.
 * Without a mask, the first `start_pos + positions` keys take part, and with `is_causal` a query
 * sees none behind its own position. With a mask, [positions, keys], all keys do.
 * Operands that do not fit set the context's failure state, and nothing is written.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native {

/**
 * @param key, value Whole caches. Float, Half or BFloat16, as the query.
 * @param attn_mask Floating, added to the scores; not together with `is_causal`.
 * @param dropout_p Has no effect: programs infer.
 * @param scale Of the scores; one over the root of head_dim if absent.
 * @param output As the query.
 */
Tensor& custom_sdpa_out(KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key,
                        const Tensor& value, int64_t start_pos, const optional<Tensor>& attn_mask,
                        double dropout_p, bool is_causal, optional<double> scale, Tensor& output);

/**
 * Writes keys and values to their caches, from position `start_pos` on; then as above with these.
 * @param seq_len Has no effect: the tensors have it.
 */
Tensor& sdpa_with_kv_cache_out(KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key,
                               const Tensor& value, Tensor& key_cache, Tensor& value_cache,
                               int64_t start_pos, int64_t seq_len,
                               const optional<Tensor>& attn_mask, double dropout_p, bool is_causal,
                               optional<double> scale, Tensor& output);

/**
 * As `custom_sdpa_out`; an operand with zero points (Char) and scales (Float), one of each for
 * every vector of head_dim elements and [batch, positions, heads, 1] both, has integers.
 * @param is_seq_at_dim_2 Heads come before positions, in the output as well.
 * @param output Float.
 */
Tensor& custom_quantized_sdpa_out(
    KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key, const Tensor& value,
    int64_t start_pos, const optional<Tensor>& attn_mask, double dropout_p, bool is_causal,
    optional<double> scale, const optional<Tensor>& q_zero_points, const optional<Tensor>& q_scales,
    const optional<Tensor>& k_zero_points, const optional<Tensor>& k_scales,
    const optional<Tensor>& v_zero_points, const optional<Tensor>& v_scales, bool is_seq_at_dim_2,
    Tensor& output);

}  // namespace torch::executor::native
