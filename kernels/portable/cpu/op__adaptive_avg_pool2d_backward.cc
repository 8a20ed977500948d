#include <executorch/kernels/portable/cpu/internal/average_backward.h>

namespace torch::executor::native {
Tensor& _adaptive_avg_pool2d_backward_out(KernelRuntimeContext& ctx, const Tensor& grad_output,
                                          const Tensor& in, Tensor& out) {
  const ssize_t rank = in.dim();
  if (!util::require(ctx, rank == 3 || rank == 4, "pooling needs an image of rank 3 or 4") ||
      !util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, grad_output) ||
      !util::require_same_dtype(ctx, in, out)) {
    return out;
  }
  bool fits = grad_output.dim() == rank;
  for (ssize_t d = 0; fits && d < rank; ++d) {
    fits = d < rank - 2 ? grad_output.size(d) == in.size(d) : in.size(d) > 0;
  }
  if (!util::require(ctx, fits, "the gradient must have the image's batch and channels") ||
      !util::resize_like(ctx, in, out)) {
    return out;
  }
  const util::View grad_out = util::as_volume(grad_output, 2);
  const util::View grad_in = util::as_volume(out, 2);
  util::spread_volume(
      grad_out, grad_in,
      [&](size_t d, int64_t index) {
        return util::adaptive_window(static_cast<int64_t>(grad_in.size[3 + d]),
                                     static_cast<int64_t>(grad_out.size[3 + d]), index);
      },
      0);
  return out;
}

}  // namespace torch::executor::native
