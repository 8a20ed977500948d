#include <executorch/kernels/portable/cpu/internal/pad.h>

namespace torch::executor::native {
Tensor& reflection_pad3d_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef padding,
                             Tensor& out) {
  return util::pad_edges(ctx, in, padding, 3, util::PadMode::kReflect, out);
}

}  // namespace torch::executor::native
