#include <executorch/kernels/portable/cpu/internal/resample.h>

namespace torch::executor::native {

Tensor& upsample_bicubic2d_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef output_size,
                               bool align_corners, optional<double> scales_h,
                               optional<double> scales_w, Tensor& out) {
  const optional<double> scales[] = {scales_h, scales_w};
  return util::resample_out(ctx, in, output_size, align_corners, scales, util::Filter::kCubic, out);
}

}  // namespace torch::executor::native
