#include <executorch/kernels/portable/cpu/internal/upsample.h>

namespace torch::executor::native {

Tensor& _upsample_nearest_exact1d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                      IntArrayRef output_size, optional<double> scales,
                                      Tensor& out) {
  return util::nearest_out(ctx, in, 1, output_size, &scales, util::Nearest::kCenter, out);
}

Tensor& _upsample_nearest_exact2d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                      IntArrayRef output_size, optional<double> scales_h,
                                      optional<double> scales_w, Tensor& out) {
  const optional<double> scales[] = {scales_h, scales_w};
  return util::nearest_out(ctx, in, 2, output_size, scales, util::Nearest::kCenter, out);
}

Tensor& _upsample_nearest_exact3d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                      IntArrayRef output_size, optional<double> scales_d,
                                      optional<double> scales_h, optional<double> scales_w,
                                      Tensor& out) {
  const optional<double> scales[] = {scales_d, scales_h, scales_w};
  return util::nearest_out(ctx, in, 3, output_size, scales, util::Nearest::kCenter, out);
}

}  // namespace torch::executor::native
