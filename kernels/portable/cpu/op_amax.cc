#include <executorch/kernels/portable/cpu/internal/extremum.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& amax_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dim, bool keepdim,
                 Tensor& out) {
  if (!util::require_same_dtype(ctx, in, out)) {
    return out;
  }
  return util::reduce_extremum<util::Largest>(ctx, in, dim, keepdim, out);
}

}  // namespace torch::executor::native
