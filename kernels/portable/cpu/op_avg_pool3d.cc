#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/volume.h>

namespace torch::executor::native {
Tensor& avg_pool3d_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef kernel_size,
                       IntArrayRef stride, IntArrayRef padding, bool ceil_mode,
                       bool count_include_pad, optional<int64_t> divisor_override, Tensor& out) {
  constexpr size_t kSpatial = 3;
  util::PoolDim dim[kSpatial];
  util::Shape shape;
  if (!util::check_pool(ctx, in, kernel_size, stride, padding, IntArrayRef(), ceil_mode, dim, shape,
                        kSpatial) ||
      !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx,
                     util::is_floating(in.scalar_type()) || in.scalar_type() == ScalarType::Long,
                     "avg_pool3d is defined for floating dtypes and Long") ||
      !util::require(ctx, !divisor_override.has_value() || *divisor_override != 0,
                     "divisor_override must not be 0") ||
      !util::resize(ctx, shape, out)) {
    return out;
  }
  const auto windows = [&](size_t d, int64_t index) {
    return util::average_window(dim[d], index, count_include_pad);
  };
  util::with_arithmetic_type(in.scalar_type(), [&](auto zero) {
    util::average_volume<decltype(zero)>(util::as_volume(in, kSpatial),
                                         util::as_volume(out, kSpatial), windows,
                                         divisor_override.value_or(0));
  });
  return out;
}

}  // namespace torch::executor::native
