/**
 * @file
 * Checks that several of these kernels share. They log what was expected and what came.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::operands {

/// Requires tensors of rank 4 with the same sizes in the dimensions whose bits (1 << dim) are set.
bool require_same_sizes(KernelRuntimeContext& ctx, const char* name, const Tensor& a,
                        const char* other_name, const Tensor& b, unsigned dims);

/// Requires `rank` dimensions.
bool require_rank(KernelRuntimeContext& ctx, const char* name, const Tensor& t, ssize_t rank);

/// Requires the element type of another tensor.
bool require_dtype(KernelRuntimeContext& ctx, const char* name, const Tensor& t, ScalarType dtype);

/// Requires that positions [start, start + length) are in a cache with `capacity` of them.
bool require_room(KernelRuntimeContext& ctx, int64_t start, int64_t length, int64_t capacity);

}  // namespace torch::executor::native::operands
