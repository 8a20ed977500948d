#include <executorch/kernels/portable/cpu/internal/resample.h>

namespace torch::executor::native {

Tensor& upsample_trilinear3d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                 IntArrayRef output_size, bool align_corners,
                                 optional<double> scales_d, optional<double> scales_h,
                                 optional<double> scales_w, Tensor& out) {
  const optional<double> scales[] = {scales_d, scales_h, scales_w};
  return util::linear_out(ctx, in, 3, output_size, align_corners, scales, out);
}

}  // namespace torch::executor::native
