/**
 * @file
 * Writes to caches of keys and values: `llama::update_cache.out` and
 * `llama::update_cache_with_indices.out`.
 *
 * Values and caches are [batch, positions, heads, head_dim] and of any dtype, the same for both.
 * What does not fit sets the context's failure state, and nothing is written.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native {

/**
 * Writes `value` from position `start_pos` on.
 * @param output One element without meaning: it only orders the write and what reads the cache.
 */
Tensor& update_cache_out(KernelRuntimeContext& ctx, const Tensor& value, Tensor& cache,
                         int64_t start_pos, Tensor& output);

/**
 * Writes `value` to the positions `indices` ([batch, positions], Long). Of equal indices the last
 * one counts.
 * @param start_pos Has no effect: the indices say everything.
 */
Tensor& update_cache_with_indices_out(KernelRuntimeContext& ctx, const Tensor& value, Tensor& cache,
                                      int64_t start_pos, const Tensor& indices, Tensor& output);

/// Whether `value` may be written to `cache` from `start_pos` on; if not, the failure state is set.
bool require_cache_fits(KernelRuntimeContext& ctx, const Tensor& value, const Tensor& cache,
                        int64_t start_pos);

/// Writes what fits.
void write_cache(const Tensor& value, Tensor& cache, int64_t start_pos);

}  // namespace torch::executor::native
