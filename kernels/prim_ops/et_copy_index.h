#pragma once

#include <executorch/kernels/prim_ops/scalar_ops.h>

namespace torch::executor::function {

/**
 * executorch_prim::et_copy_index.tensor(Tensor(a!) copy_to, Tensor copy_from, int index)
 *
 * Resizes dimension 0 of `copy_to` to `index` + 1 and copies `copy_from` to its last place. Loops
 * collect their results with it, from index 0 on. `copy_to` has the shape of `copy_from` with one
 * more dimension in front; both are contiguous. There is no result slot.
 */
void et_copy_index(Context& context, Stack stack);

}  // namespace torch::executor::function
