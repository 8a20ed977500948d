#include <executorch/kernels/portable/cpu/util/average.h>
#include <executorch/kernels/portable/cpu/util/pool.h>
#include <executorch/kernels/portable/cpu/util/promote.h>

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
        const util::PoolDim& p = dim[d];
        const int64_t begin = index * p.stride - p.padding;
        const int64_t end =
            begin + p.kernel < p.in + p.padding ? begin + p.kernel : p.in + p.padding;
        const int64_t inside_begin = begin < 0 ? 0 : begin;
        const int64_t inside_end = end > p.in ? p.in : end;
        return util::AverageWindow{inside_begin, inside_end,
                                   count_include_pad ? end - begin : inside_end - inside_begin};
      },
      divisor_override.value_or(0));
  return out;
}

}  // namespace torch::executor::native
