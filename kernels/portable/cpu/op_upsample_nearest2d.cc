#include <executorch/kernels/portable/cpu/internal/upsample.h>

namespace torch::executor::native {

Tensor& upsample_nearest2d_vec_out(KernelRuntimeContext& ctx, const Tensor& in,
                                   OptionalArrayRef<int64_t> output_size,
                                   OptionalArrayRef<double> scale_factors, Tensor& out) {
  util::UpsampleDim dim[2];
  if (util::check_upsample(ctx, in, 2, output_size, scale_factors, dim, out)) {
    util::upsample_nearest(in, 2, dim, util::Nearest::kCorner, out);
  }
  return out;
}

Tensor& upsample_nearest2d_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef output_size,
                               optional<double> scales_h, optional<double> scales_w, Tensor& out) {
  const optional<double> scales[] = {scales_h, scales_w};
  return util::nearest_out(ctx, in, 2, output_size, scales, util::Nearest::kCorner, out);
}

}  // namespace torch::executor::native
