#include <executorch/kernels/portable/cpu/util/pointwise.h>

namespace torch::executor::native {
Tensor& full_out(KernelRuntimeContext& ctx, IntArrayRef sizes, const Scalar& fill_value,
                 Tensor& out) {
  if (util::require_real(ctx, out) && util::resize(ctx, sizes, out)) {
    util::fill(util::ScalarValue(fill_value), out);
  }
  return out;
}

}  // namespace torch::executor::native
