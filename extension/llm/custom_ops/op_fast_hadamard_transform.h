/**
 * @file
 * The rotation of rotated models: `llama::fast_hadamard_transform.out`.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native {

/**
 * Transforms the last dimension of `mat`, whose size is a power of two, or 28 times one. The part
 * that is a power of two is orthonormal; the matrix of order 28 has entries of 1 and -1.
 * @param mat Floating, contiguous. Lines of Half or BFloat16 of more than 1024 elements need
 *     temporary memory.
 */
Tensor& fast_hadamard_transform_out(KernelRuntimeContext& ctx, const Tensor& mat, Tensor& out);

}  // namespace torch::executor::native
