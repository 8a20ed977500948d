#include <string_view>

#include <executorch/kernels/optimized/cpu/elementwise.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {

using optimized::Binary;
using optimized::run_binary;
using optimized::run_clamp;
using optimized::run_sign;
using optimized::run_unary;
using optimized::Sign;
using optimized::Unary;

// A function without parameters: this library's loop, or the portable kernel.
#define ET_UNARY(name, function)                                                       \
  Tensor& opt_##name##_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) { \
    return run_unary(ctx, function, in, out) ? out : name##_out(ctx, in, out);         \
  }

ET_UNARY(ceil, Unary::kCeil)
ET_UNARY(cos, Unary::kCos)
ET_UNARY(erf, Unary::kErf)
ET_UNARY(exp, Unary::kExp)
ET_UNARY(exp2, Unary::kExp2)
ET_UNARY(expm1, Unary::kExpm1)
ET_UNARY(floor, Unary::kFloor)
ET_UNARY(log, Unary::kLog)
ET_UNARY(log10, Unary::kLog10)
ET_UNARY(log1p, Unary::kLog1p)
ET_UNARY(log2, Unary::kLog2)
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

// Integers and half types need no floats for these.
Tensor& opt_abs_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return run_sign(ctx, Sign::kAbs, in, out) || run_unary(ctx, Unary::kAbs, in, out)
             ? out
             : abs_out(ctx, in, out);
}

Tensor& opt_neg_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return run_sign(ctx, Sign::kNeg, in, out) || run_unary(ctx, Unary::kNeg, in, out)
             ? out
             : neg_out(ctx, in, out);
}

namespace {

float number(const Scalar& scalar) { return util::ScalarValue(scalar).as<float>(); }

/// Whether a float has room for the factor; others are errors, which portable kernels describe.
bool is_factor(const Scalar& scalar) { return util::is_representable(scalar, ScalarType::Float); }

/// Integers between integer bounds.
bool clamp_integers(KernelRuntimeContext& ctx, const Tensor& in, const optional<Scalar>& min,
                    const optional<Scalar>& max, Tensor& out) {
  if ((min.has_value() && !min->isIntegral(false)) ||
      (max.has_value() && !max->isIntegral(false))) {
    return false;
  }
  if (!min.has_value()) {
    return run_binary(ctx, Binary::kMinimum, in, *max, out);
  }
  return max.has_value() ? run_clamp(ctx, in, min->to<int64_t>(), max->to<int64_t>(), out)
                         : run_binary(ctx, Binary::kMaximum, in, *min, out);
}

/// Clamps between bounds, of which the upper one wins. Other bounds, and such that make the result
/// another dtype than the input's, are not for the loop.
bool clamp(KernelRuntimeContext& ctx, const Tensor& in, const optional<Scalar>& min,
           const optional<Scalar>& max, Tensor& out) {
  // Bounds that the dtype has no room for are errors, which the portable kernel describes.
  const ScalarType dtype = in.scalar_type();
  if (dtype != out.scalar_type() || (!min.has_value() && !max.has_value()) ||
      (min.has_value() && !util::is_representable(*min, dtype)) ||
      (max.has_value() && !util::is_representable(*max, dtype))) {
    return false;
  }
  if (!util::is_floating(dtype)) {
    return clamp_integers(ctx, in, min, max, out);
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
  return is_factor(alpha) && is_factor(scale) && is_factor(input_scale) &&
                 run_unary(ctx, Unary::kElu, in, out, parameters)
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
  return is_factor(negative_slope) && run_unary(ctx, Unary::kLeakyRelu, in, out, parameters)
             ? out
             : leaky_relu_out(ctx, in, negative_slope, out);
}

namespace {

bool run_power(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  // A float may be too large; it is infinity then.
  if (a.scalar_type() != ScalarType::Float && !util::is_representable(b, a.scalar_type())) {
    return false;
  }
  const double exponent = util::ScalarValue(b).d;
  const Unary function = exponent == 2      ? Unary::kSquare
                         : exponent == 3    ? Unary::kCube
                         : exponent == 0.5  ? Unary::kSqrt
                         : exponent == -0.5 ? Unary::kRsqrt
                         : exponent == -1   ? Unary::kReciprocal
                         : exponent == -2   ? Unary::kInverseSquare
                                            : Unary::kCount;
  return function != Unary::kCount ? run_unary(ctx, function, a, out)
                                   : run_binary(ctx, Binary::kPow, a, b, out);
}

}  // namespace

Tensor& opt_pow_Tensor_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                                  Tensor& out) {
  return run_power(ctx, a, b, out) ? out : pow_Tensor_Scalar_out(ctx, a, b, out);
}

Tensor& opt_pow_Tensor_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                                  Tensor& out) {
  return run_binary(ctx, Binary::kPow, a, b, out) ? out : pow_Tensor_Tensor_out(ctx, a, b, out);
}

Tensor& opt_pow_Scalar_out(KernelRuntimeContext& ctx, const Scalar& a, const Tensor& b,
                           Tensor& out) {
  return run_binary(ctx, Binary::kPow, a, b, out) ? out : pow_Scalar_out(ctx, a, b, out);
}

}  // namespace torch::executor::native
