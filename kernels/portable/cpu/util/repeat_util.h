/**
 * @file
 * Copies of a tensor side by side.
 */
#pragma once

#include <cstdint>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

/**
 * Repeats a tensor along each dimension, and resizes `out`.
 *
 * @param repeats Not negative; at least one entry for each dimension of `in`, more for new
 *     dimensions in front.
 * @retval Error::InvalidArgument Repeats that do not fit, or `out` has another dtype.
 */
ET_NODISCARD Error repeat_tensor(const Tensor& in, ArrayRef<int64_t> repeats, Tensor& out);

}  // namespace torch::executor
