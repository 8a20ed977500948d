/**
 * @file
 * A copy that no backend takes: `llama::fallback.out`.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native {

/// Copies `in`, of any dtype, to `out`.
Tensor& fallback_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out);

}  // namespace torch::executor::native
