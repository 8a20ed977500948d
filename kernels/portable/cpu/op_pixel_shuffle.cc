#include <executorch/kernels/portable/cpu/internal/pixel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& pixel_shuffle_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t upscale_factor,
                          Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, rank >= 3 && rank + 2 <= util::kMaxRank, "needs rank 3 to 14") ||
      !util::require(ctx, upscale_factor > 0 && upscale_factor < 32768,
                     "the factor must be positive")) {
    return out;
  }
  util::Shape shape(in);
  const int64_t channels = in.size(rank - 3);
  const int64_t area = upscale_factor * upscale_factor;
  if (!util::require(ctx, channels % area == 0,
                     "the channels must be a multiple of the factor's square")) {
    return out;
  }
  shape.sizes[rank - 3] = static_cast<SizesType>(channels / area);
  shape.sizes[rank - 2] = static_cast<SizesType>(in.size(rank - 2) * upscale_factor);
  shape.sizes[rank - 1] = static_cast<SizesType>(in.size(rank - 1) * upscale_factor);
  if (!util::resize(ctx, shape, out) || out.numel() == 0) {
    return out;
  }
  util::copy(util::split_channels(util::View(in), upscale_factor),
             util::split_plane(util::View(out), upscale_factor));
  return out;
}

}  // namespace torch::executor::native
