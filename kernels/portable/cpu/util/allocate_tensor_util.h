/**
 * @file
 * Tensors that a kernel needs while it runs.
 */
#pragma once

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

/**
 * A tensor in memory of the context's temporary allocator, which is valid until the kernel returns.
 * Its elements are not set.
 *
 * @param dim_order, strides Of the same length as `sizes`, dense.
 * @returns a handle without a tensor (`unsafeGetTensorImpl()` is null) if there is no memory; the
 *     context is then failed.
 */
Tensor allocate_tensor(KernelRuntimeContext& ctx, const ArrayRef<SizesType>& sizes,
                       const ArrayRef<DimOrderType>& dim_order,
                       const ArrayRef<StridesType>& strides, const ScalarType& dtype);

}  // namespace torch::executor
