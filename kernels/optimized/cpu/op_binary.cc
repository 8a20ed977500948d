#include <executorch/kernels/optimized/cpu/elementwise.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {

using optimized::Binary;
using optimized::run_binary;

namespace {

/// a + sign * alpha * b, for b a tensor or a number.
template <typename B>
bool add_scaled(KernelRuntimeContext& ctx, const Tensor& a, const B& b, const Scalar& alpha,
                bool subtract, Tensor& out) {
  if (util::ScalarValue(alpha).as<double>() == 1) {
    return run_binary(ctx, subtract ? Binary::kSub : Binary::kAdd, a, b, out);
  }
  const ScalarType dtype = out.scalar_type();
  const double factor = util::as_element(alpha, dtype).as<double>();
  // Integers have no loop for it.
  return util::is_floating(dtype) && util::is_representable(alpha, dtype) &&
         run_binary(ctx, Binary::kAddScaled, a, b, out,
                    static_cast<float>(subtract ? -factor : factor));
}

}  // namespace

Tensor& opt_add_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                    const Scalar& alpha, Tensor& out) {
  return add_scaled(ctx, a, b, alpha, false, out) ? out : add_out(ctx, a, b, alpha, out);
}

Tensor& opt_add_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                           const Scalar& alpha, Tensor& out) {
  return add_scaled(ctx, a, b, alpha, false, out) ? out : add_scalar_out(ctx, a, b, alpha, out);
}

Tensor& opt_sub_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                    const Scalar& alpha, Tensor& out) {
  return add_scaled(ctx, a, b, alpha, true, out) ? out : sub_out(ctx, a, b, alpha, out);
}

Tensor& opt_sub_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                           const Scalar& alpha, Tensor& out) {
  return !b.isBoolean() && add_scaled(ctx, a, b, alpha, true, out)
             ? out
             : sub_scalar_out(ctx, a, b, alpha, out);
}

Tensor& opt_mul_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return run_binary(ctx, Binary::kMul, a, b, out) ? out : mul_out(ctx, a, b, out);
}

Tensor& opt_mul_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                           Tensor& out) {
  return run_binary(ctx, Binary::kMul, a, b, out) ? out : mul_scalar_out(ctx, a, b, out);
}

Tensor& opt_div_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return run_binary(ctx, Binary::kDiv, a, b, out) ? out : div_out(ctx, a, b, out);
}

Tensor& opt_div_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                           Tensor& out) {
  return run_binary(ctx, Binary::kDiv, a, b, out) ? out : div_scalar_out(ctx, a, b, out);
}

Tensor& opt_maximum_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return run_binary(ctx, Binary::kMaximum, a, b, out) ? out : maximum_out(ctx, a, b, out);
}

Tensor& opt_minimum_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return run_binary(ctx, Binary::kMinimum, a, b, out) ? out : minimum_out(ctx, a, b, out);
}

}  // namespace torch::executor::native
