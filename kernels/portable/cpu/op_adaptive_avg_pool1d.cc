#include <executorch/kernels/portable/cpu/internal/volume.h>

namespace torch::executor::native {
Tensor& adaptive_avg_pool1d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                IntArrayRef output_size, Tensor& out) {
  if (util::require(ctx, output_size.size() == 1, "output_size must have one entry")) {
    util::adaptive_average(ctx, in, output_size, out);
  }
  return out;
}

}  // namespace torch::executor::native
