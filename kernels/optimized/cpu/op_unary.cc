#include <string_view>

#include <executorch/kernels/optimized/cpu/elementwise.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/util/promote.h>

namespace torch::executor::native {

using optimized::run_unary;
using optimized::Unary;

// A function without parameters: this library's loop, or the portable kernel.
#define ET_UNARY(name, function)                                                       \
  Tensor& opt_##name##_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) { \
    return run_unary(ctx, function, in, out) ? out : name##_out(ctx, in, out);         \
  }

ET_UNARY(abs, Unary::kAbs)
ET_UNARY(ceil, Unary::kCeil)
ET_UNARY(cos, Unary::kCos)
ET_UNARY(erf, Unary::kErf)
ET_UNARY(exp, Unary::kExp)
ET_UNARY(expm1, Unary::kExpm1)
ET_UNARY(floor, Unary::kFloor)
ET_UNARY(log, Unary::kLog)
ET_UNARY(log10, Unary::kLog10)
ET_UNARY(log1p, Unary::kLog1p)
ET_UNARY(log2, Unary::kLog2)
ET_UNARY(neg, Unary::kNeg)
ET_UNARY(reciprocal, Unary::kReciprocal)
ET_UNARY(relu, Unary::kRelu)
ET_UNARY(round, Unary::kRound)
ET_UNARY(rsqrt, Unary::kRsqrt)
ET_UNARY(sigmoid, Unary::kSigmoid)
ET_UNARY(sin, Unary::kSin)
ET_UNARY(sqrt, Unary::kSqrt)
ET_UNARY(tanh, Unary::kTanh)
ET_UNARY(trunc, Unary::kTrunc)

#undef ET_UNARY

namespace {

float number(const Scalar& scalar) { return util::ScalarValue(scalar).as<float>(); }

/// Clamps between bounds, of which the upper one wins. Other bounds, and such that make the result
/// another dtype than the input's, are not for the loop.
bool clamp(KernelRuntimeContext& ctx, const Tensor& in, const optional<Scalar>& min,
           const optional<Scalar>& max, Tensor& out) {
  // Integers that a half type has no room for would change on the way.
  if (in.scalar_type() != ScalarType::Float || (!min.has_value() && !max.has_value())) {
    return false;
  }
  const float infinity = __builtin_inff();
  const float bounds[optimized::kUnaryParameters] = {min.has_value() ? number(*min) : -infinity,
                                                     max.has_value() ? number(*max) : infinity, 0};
  return bounds[0] == bounds[0] && bounds[1] == bounds[1] &&
         run_unary(ctx, Unary::kClamp, in, out, bounds);
}

}  // namespace

Tensor& opt_clamp_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<Scalar>& min,
                      const optional<Scalar>& max, Tensor& out) {
  return clamp(ctx, in, min, max, out) ? out : clamp_out(ctx, in, min, max, out);
}

Tensor& opt_hardtanh_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& min,
                         const Scalar& max, Tensor& out) {
  return clamp(ctx, in, min, max, out) ? out : hardtanh_out(ctx, in, min, max, out);
}

Tensor& opt_elu_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& alpha,
                    const Scalar& scale, const Scalar& input_scale, Tensor& out) {
  const util::ScalarValue positive(scale);
  const float parameters[optimized::kUnaryParameters] = {
      static_cast<float>(util::ScalarValue(alpha).d * positive.d), positive.as<float>(),
      number(input_scale)};
  return run_unary(ctx, Unary::kElu, in, out, parameters)
             ? out
             : elu_out(ctx, in, alpha, scale, input_scale, out);
}

Tensor& opt_gelu_out(KernelRuntimeContext& ctx, const Tensor& in, std::string_view approximate,
                     Tensor& out) {
  const bool known = approximate == "none" || approximate == "tanh";
  const Unary function = approximate == "tanh" ? Unary::kGeluTanh : Unary::kGelu;
  return known && run_unary(ctx, function, in, out) ? out : gelu_out(ctx, in, approximate, out);
}

Tensor& opt_leaky_relu_out(KernelRuntimeContext& ctx, const Tensor& in,
                           const Scalar& negative_slope, Tensor& out) {
  const float parameters[optimized::kUnaryParameters] = {number(negative_slope), 0, 0};
  return run_unary(ctx, Unary::kLeakyRelu, in, out, parameters)
             ? out
             : leaky_relu_out(ctx, in, negative_slope, out);
}

Tensor& opt_pow_Tensor_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                                  Tensor& out) {
  const double exponent = util::ScalarValue(b).d;
  const Unary function = exponent == 2      ? Unary::kSquare
                         : exponent == 3    ? Unary::kCube
                         : exponent == 0.5  ? Unary::kSqrt
                         : exponent == -0.5 ? Unary::kRsqrt
                         : exponent == -1   ? Unary::kReciprocal
                                            : Unary::kCount;
  return function != Unary::kCount && run_unary(ctx, function, a, out)
             ? out
             : pow_Tensor_Scalar_out(ctx, a, b, out);
}

}  // namespace torch::executor::native
