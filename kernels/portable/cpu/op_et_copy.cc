#include <executorch/kernels/portable/cpu/util/shape.h>
#include <executorch/kernels/portable/cpu/util/view.h>

namespace torch::executor::native {
namespace {

/// Host and device are one in this library.
Tensor& copy(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  if (util::require_same_dtype(ctx, in, out) && util::resize_like(ctx, in, out)) {
    util::copy(util::View(in), util::View(out));
  }
  return out;
}

}  // namespace

Tensor& _h2d_copy_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return copy(ctx, in, out);
}

Tensor& _d2h_copy_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return copy(ctx, in, out);
}

}  // namespace torch::executor::native
