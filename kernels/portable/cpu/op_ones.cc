#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
Tensor& ones_out(KernelRuntimeContext& ctx, IntArrayRef sizes, Tensor& out) {
  if (util::require_real(ctx, out) && util::resize(ctx, sizes, out)) {
    util::fill(util::ScalarValue(int64_t{1}), out);
  }
  return out;
}

}  // namespace torch::executor::native
