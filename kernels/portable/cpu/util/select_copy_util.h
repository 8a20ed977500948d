/**
 * @file
 * One index of a dimension.
 */
#pragma once

#include <cstdint>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

/**
 * Copies `in` at `index` of dimension `dim`, both of which may be negative, and resizes `out`.
 *
 * @retval Error::InvalidArgument There is no such dimension or index, or `out` has another dtype.
 */
ET_NODISCARD Error select_copy_util(const Tensor& in, int64_t dim, int64_t index, Tensor& out);

}  // namespace torch::executor
