#pragma once

#include <executorch/kernels/prim_ops/scalar_ops.h>

namespace torch::executor::function {

/**
 * executorch_prim::et_view.default(Tensor self, int[] size) -> Tensor(out)
 *
 * Makes `out` a view of `self`'s memory with another shape, in which one size may be -1. `out` must
 * have no memory of its own: none at all, the memory of `self`, or that of an earlier view. Both
 * are contiguous or have one shape and dim order.
 */
void et_view(Context& context, Stack stack);

}  // namespace torch::executor::function
