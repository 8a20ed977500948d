#include <executorch/kernels/portable/cpu/internal/resample.h>

namespace torch::executor::native {

Tensor& upsample_linear1d_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef output_size,
                              bool align_corners, optional<double> scales, Tensor& out) {
  return util::linear_out(ctx, in, 1, output_size, align_corners, &scales, out);
}

}  // namespace torch::executor::native
