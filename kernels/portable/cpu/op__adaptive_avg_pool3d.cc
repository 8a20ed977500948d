#include <executorch/kernels/portable/cpu/internal/volume.h>

namespace torch::executor::native {
Tensor& _adaptive_avg_pool3d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                 IntArrayRef output_size, Tensor& out) {
  if (util::require(ctx, output_size.size() == 3, "output_size must have three entries")) {
    util::adaptive_average(ctx, in, output_size, out);
  }
  return out;
}

}  // namespace torch::executor::native
