#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/random.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& randint_low_out(KernelRuntimeContext& ctx, int64_t low, int64_t high, IntArrayRef size,
                        Tensor& out) {
  if (!util::require_real(ctx, out) ||
      !util::require(ctx, low < high, "randint needs low < high") ||
      !util::resize(ctx, size, out)) {
    return out;
  }
  util::Random random;
  const util::View target(out);
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  for (ssize_t i = 0; i < out.numel(); ++i) {
    const uint64_t value = static_cast<uint64_t>(low) + random.bits() % range;
    util::put_element(target, i, static_cast<int64_t>(value));
  }
  return out;
}

Tensor& randint_out(KernelRuntimeContext& ctx, int64_t high, IntArrayRef size, Tensor& out) {
  return randint_low_out(ctx, 0, high, size, out);
}

}  // namespace torch::executor::native
