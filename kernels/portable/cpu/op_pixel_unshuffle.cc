#include <executorch/kernels/portable/cpu/internal/pixel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& pixel_unshuffle_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t downscale_factor,
                            Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, rank >= 3 && rank + 2 <= util::kMaxRank, "needs rank 3 to 14") ||
      !util::require(ctx, downscale_factor > 0 && downscale_factor < 32768,
                     "the factor must be positive")) {
    return out;
  }
  util::Shape shape(in);
  if (!util::require(
          ctx,
          in.size(rank - 2) % downscale_factor == 0 && in.size(rank - 1) % downscale_factor == 0,
          "height and width must be multiples of the factor")) {
    return out;
  }
  shape.sizes[rank - 3] =
      static_cast<SizesType>(in.size(rank - 3) * downscale_factor * downscale_factor);
  shape.sizes[rank - 2] = static_cast<SizesType>(in.size(rank - 2) / downscale_factor);
  shape.sizes[rank - 1] = static_cast<SizesType>(in.size(rank - 1) / downscale_factor);
  if (!util::resize(ctx, shape, out) || out.numel() == 0) {
    return out;
  }
  util::copy(util::split_plane(util::View(in), downscale_factor),
             util::split_channels(util::View(out), downscale_factor));
  return out;
}

}  // namespace torch::executor::native
