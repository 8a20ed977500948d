#include <executorch/kernels/portable/cpu/internal/average_backward.h>

namespace torch::executor::native {
Tensor& avg_pool2d_backward_grad_input(KernelRuntimeContext& ctx, const Tensor& grad_output,
                                       const Tensor& in, IntArrayRef kernel_size,
                                       IntArrayRef stride, IntArrayRef padding, bool ceil_mode,
                                       bool count_include_pad, optional<int64_t> divisor_override,
                                       Tensor& grad_input) {
  util::PoolDim dim[2];
  util::Shape shape;
  if (!util::require_floating(ctx, in) ||
      !util::check_pool(ctx, in, kernel_size, stride, padding, IntArrayRef(), ceil_mode, dim,
                        shape) ||
      !util::require_same_dtype(ctx, in, grad_output) ||
      !util::require_same_dtype(ctx, in, grad_input) ||
      !util::require(ctx, !divisor_override.has_value() || *divisor_override != 0,
                     "divisor_override must not be 0")) {
    return grad_input;
  }
  bool fits = grad_output.dim() == in.dim();
  for (size_t d = 0; fits && d < shape.rank; ++d) {
    fits = grad_output.size(static_cast<ssize_t>(d)) == shape.sizes[d];
  }
  if (!util::require(ctx, fits, "the gradient must have the shape of the pooled image") ||
      !util::resize_like(ctx, in, grad_input)) {
    return grad_input;
  }
  util::spread_volume(
      util::as_volume(grad_output, 2), util::as_volume(grad_input, 2),
      [&](size_t d, int64_t index) {
        return util::average_window(dim[d], index, count_include_pad);
      },
      divisor_override.value_or(0));
  return grad_input;
}

}  // namespace torch::executor::native
