#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
Tensor& scalar_tensor_out(KernelRuntimeContext& ctx, const Scalar& value, Tensor& out) {
  if (util::require_real(ctx, out) && util::require_representable(ctx, value, out) &&
      util::resize(ctx, IntArrayRef(), out)) {
    util::fill(util::ScalarValue(value), out);
  }
  return out;
}

}  // namespace torch::executor::native
