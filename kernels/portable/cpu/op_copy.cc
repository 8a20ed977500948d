#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& copy_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& src, bool non_blocking,
                 Tensor& out) {
  (void)non_blocking;  // a copy that is done on return is allowed
  if (util::require_same_dtype(ctx, in, out) && util::require_convertible(ctx, src, out) &&
      util::require(ctx, util::broadcasts_to(src, in), "src does not broadcast to self") &&
      util::resize_like(ctx, in, out)) {
    const util::View target(out);
    util::copy(util::View(src).expand(target), target);
  }
  return out;
}

Tensor& copy_(KernelRuntimeContext& ctx, Tensor& in, const Tensor& src, bool non_blocking) {
  (void)non_blocking;  // a copy that is done on return is allowed
  if (util::require_convertible(ctx, src, in) &&
      util::require(ctx, util::broadcasts_to(src, in), "src does not broadcast to self")) {
    const util::View target(in);
    util::copy(util::View(src).expand(target), target);
  }
  return in;
}

}  // namespace torch::executor::native
