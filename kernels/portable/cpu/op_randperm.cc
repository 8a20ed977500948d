#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/random.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& randperm_out(KernelRuntimeContext& ctx, int64_t n, Tensor& out) {
  if (!util::require_real(ctx, out) || !util::resize(ctx, IntArrayRef(&n, 1), out)) {
    return out;
  }
  util::Random random;
  const util::View target(out);
  for (int64_t i = 0; i < n; ++i) {
    util::put_element(target, static_cast<ptrdiff_t>(i), static_cast<double>(i));
  }
  for (int64_t i = n; i-- > 1;) {
    const ptrdiff_t other = static_cast<ptrdiff_t>(random.bits() % (static_cast<uint64_t>(i) + 1));
    const double a = util::get_element<double>(target, static_cast<ptrdiff_t>(i));
    const double b = util::get_element<double>(target, other);
    util::put_element(target, static_cast<ptrdiff_t>(i), b);
    util::put_element(target, other, a);
  }
  return out;
}

}  // namespace torch::executor::native
