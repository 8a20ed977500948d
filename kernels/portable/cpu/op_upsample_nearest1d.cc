#include <executorch/kernels/portable/cpu/internal/upsample.h>

namespace torch::executor::native {

Tensor& upsample_nearest1d_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef output_size,
                               optional<double> scales, Tensor& out) {
  return util::nearest_out(ctx, in, 1, output_size, &scales, util::Nearest::kCorner, out);
}

}  // namespace torch::executor::native
