#include <cmath>
#include <string_view>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/complex_pointwise.h>
#include <executorch/kernels/portable/cpu/internal/integer_division.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Divide {
  template <typename C>
  C operator()(C a, C b) const {
    return a / b;
  }
};

/// Rounds a float to the precision of `dtype`, if that is a half type.
float round_to(ScalarType dtype, float x) {
  return dtype == ScalarType::Half       ? static_cast<float>(executorch::aten::Half(x))
         : dtype == ScalarType::BFloat16 ? static_cast<float>(executorch::aten::BFloat16(x))
                                         : x;
}

/// Quotient rounded to an integer.
template <bool kFloor>
struct DivideRounded {
  ScalarType dtype;

  template <typename C>
  C operator()(C a, C b) const {
    if constexpr (std::is_same_v<C, float> && !kFloor) {
      // Eager truncates the quotient in the dtype itself, where it may have been rounded up.
      return std::trunc(round_to(dtype, a / b));
    }
    return kFloor ? util::div_floor(a, b) : util::div_trunc(a, b);
  }
};

/// Scaled by the larger part of the divisor, so that squares do not overflow (Smith 1962).
util::ComplexValue divide_complex(const void*, util::ComplexValue a, util::ComplexValue b) {
  if (std::fabs(b.real) >= std::fabs(b.imaginary)) {
    const double ratio = b.imaginary == 0 ? 0 : b.imaginary / b.real;
    const double scale = b.real + b.imaginary * ratio;
    return {(a.real + a.imaginary * ratio) / scale, (a.imaginary - a.real * ratio) / scale};
  }
  const double ratio = b.real / b.imaginary;
  const double scale = b.real * ratio + b.imaginary;
  return {(a.real * ratio + a.imaginary) / scale, (a.imaginary * ratio - a.real) / scale};
}

template <typename B>
Tensor& divide(KernelRuntimeContext& ctx, const Tensor& a, const B& b, Tensor& out) {
  if (util::any_complex(a, b)) {
    return util::complex_binary(ctx, a, b, out, divide_complex);
  }
  const ScalarType dtype = util::to_floating(util::result_dtype(a, b));
  if (std::is_same_v<B, Scalar> && !util::require_result_dtype(ctx, dtype, out)) {
    return out;
  }
  return util::scaling(ctx, a, b, dtype, out, util::kBinaryFloat<Divide>);
}

template <bool kFloor, typename B>
Tensor& divide_rounded(KernelRuntimeContext& ctx, const Tensor& a, const B& b, Tensor& out) {
  return util::divide_integers(ctx, a, b, out, "rounded quotients of Bool are not defined",
                               util::scaling, DivideRounded<kFloor>{util::result_dtype(a, b)});
}

template <typename B>
Tensor& divide_mode(KernelRuntimeContext& ctx, const Tensor& a, const B& b,
                    const optional<std::string_view>& mode, Tensor& out) {
  if (!mode.has_value()) {
    return divide(ctx, a, b, out);
  }
  if (*mode == "floor") {
    return divide_rounded<true>(ctx, a, b, out);
  }
  if (util::require(ctx, *mode == "trunc", "rounding_mode must be None, 'trunc' or 'floor'")) {
    divide_rounded<false>(ctx, a, b, out);
  }
  return out;
}

}  // namespace

Tensor& div_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return divide(ctx, a, b, out);
}

Tensor& div_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  return divide(ctx, a, b, out);
}

Tensor& div_out_mode(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                     optional<std::string_view> rounding_mode, Tensor& out) {
  return divide_mode(ctx, a, b, rounding_mode, out);
}

Tensor& div_scalar_mode_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                            optional<std::string_view> rounding_mode, Tensor& out) {
  return divide_mode(ctx, a, b, rounding_mode, out);
}

}  // namespace torch::executor::native
