#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& alias_copy_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  if (util::require_same_dtype(ctx, in, out) && util::resize_like(ctx, in, out)) {
    util::copy(util::View(in), util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
