#include <executorch/kernels/portable/cpu/internal/resample.h>

namespace torch::executor::native {

Tensor& upsample_bilinear2d_vec_out(KernelRuntimeContext& ctx, const Tensor& in,
                                    OptionalArrayRef<int64_t> output_size, bool align_corners,
                                    OptionalArrayRef<double> scale_factors, Tensor& out) {
  util::UpsampleDim dim[2];
  if (util::check_upsample(ctx, in, 2, output_size, scale_factors, dim, out)) {
    util::resample_linear(ctx, in, 2, dim, align_corners, out);
  }
  return out;
}

Tensor& upsample_bilinear2d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                IntArrayRef output_size, bool align_corners,
                                optional<double> scales_h, optional<double> scales_w, Tensor& out) {
  const optional<double> scales[] = {scales_h, scales_w};
  return util::linear_out(ctx, in, 2, output_size, align_corners, scales, out);
}

}  // namespace torch::executor::native
