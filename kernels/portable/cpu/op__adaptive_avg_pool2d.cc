#include <executorch/kernels/portable/cpu/internal/average.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& _adaptive_avg_pool2d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                 IntArrayRef output_size, Tensor& out) {
  if (!util::require(ctx, in.dim() == 3 || in.dim() == 4,
                     "pooling needs an image of rank 3 or 4") ||
      !util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx,
                     output_size.size() == 2 && output_size[0] >= 0 && output_size[1] >= 0 &&
                         output_size[0] <= INT32_MAX && output_size[1] <= INT32_MAX,
                     "output_size must be two sizes")) {
    return out;
  }
  util::Shape shape(in);
  const int64_t sizes[2] = {in.size(in.dim() - 2), in.size(in.dim() - 1)};
  shape.sizes[shape.rank - 2] = static_cast<SizesType>(output_size[0]);
  shape.sizes[shape.rank - 1] = static_cast<SizesType>(output_size[1]);
  if (!util::require(ctx, sizes[0] > 0 && sizes[1] > 0, "the image must not be empty") ||
      !util::resize(ctx, shape, out)) {
    return out;
  }
  util::average_windows(
      in, out,
      [&](size_t d, int64_t index) {
        return util::adaptive_window(sizes[d], output_size[d], index);
      },
      0);
  return out;
}

}  // namespace torch::executor::native
