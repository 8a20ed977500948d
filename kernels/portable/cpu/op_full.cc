#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
Tensor& full_out(KernelRuntimeContext& ctx, IntArrayRef sizes, const Scalar& fill_value,
                 Tensor& out) {
  if (util::require_real(ctx, out) && util::require_representable(ctx, fill_value, out) &&
      util::resize(ctx, sizes, out)) {
    util::fill(util::ScalarValue(fill_value), out);
  }
  return out;
}

}  // namespace torch::executor::native
