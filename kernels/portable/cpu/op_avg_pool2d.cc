#include <executorch/kernels/portable/cpu/internal/average.h>
#include <executorch/kernels/portable/cpu/internal/pool.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>

namespace torch::executor::native {
Tensor& avg_pool2d_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef kernel_size,
                       IntArrayRef stride, IntArrayRef padding, bool ceil_mode,
                       bool count_include_pad, optional<int64_t> divisor_override, Tensor& out) {
  util::PoolDim dim[2];
  util::Shape shape;
  if (!util::check_pool(ctx, in, kernel_size, stride, padding, IntArrayRef(), ceil_mode, dim,
                        shape) ||
      !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx,
                     util::is_floating(in.scalar_type()) || in.scalar_type() == ScalarType::Long,
                     "avg_pool2d is defined for floating dtypes and Long") ||
      !util::require(ctx, !divisor_override.has_value() || *divisor_override != 0,
                     "divisor_override must not be 0") ||
      !util::resize(ctx, shape, out)) {
    return out;
  }
  util::average_windows(
      in, out,
      [&](size_t d, int64_t index) {
        return util::average_window(dim[d], index, count_include_pad);
      },
      divisor_override.value_or(0));
  return out;
}

}  // namespace torch::executor::native
