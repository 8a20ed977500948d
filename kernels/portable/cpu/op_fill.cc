#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
Tensor& fill_scalar_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& value,
                        Tensor& out) {
  if (util::require_real(ctx, out) && util::require_same_dtype(ctx, in, out) &&
      util::require_representable(ctx, value, out) && util::resize_like(ctx, in, out)) {
    util::fill(util::ScalarValue(value), out);
  }
  return out;
}

Tensor& fill_tensor_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& value,
                        Tensor& out) {
  if (util::require_real(ctx, out) && util::require_real(ctx, value) &&
      util::require_same_dtype(ctx, in, out) &&
      util::require(ctx, value.dim() == 0, "the value must be a zero-dim tensor") &&
      util::resize_like(ctx, in, out)) {
    util::convert_copy(value, out);
  }
  return out;
}

}  // namespace torch::executor::native
