#include <executorch/kernels/portable/cpu/util/extremum.h>
#include <executorch/kernels/portable/cpu/util/reduce.h>
#include <executorch/kernels/portable/cpu/util/shape.h>

namespace torch::executor::native {
Tensor& amax_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dim, bool keepdim,
                 Tensor& out) {
  return util::reduce_extremum<util::Largest>(ctx, in, dim, keepdim, out);
}

}  // namespace torch::executor::native
