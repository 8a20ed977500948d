#include <executorch/kernels/portable/cpu/internal/complex_pointwise.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
namespace {

struct Subtract {
  util::ScalarValue alpha;

  template <typename C>
  C operator()(C a, C b) const {
    return util::wrapping_sub(a, util::wrapping_mul(alpha.as<C>(), b));
  }
};

/// Eager refuses to subtract truth values.
bool is_defined(KernelRuntimeContext& ctx, bool a_is_bool, bool b_is_bool) {
  return util::require(ctx, !a_is_bool && !b_is_bool, "sub is not defined for Bool");
}

/// `op` is alpha, a double.
util::ComplexValue subtract_complex(const void* op, util::ComplexValue a, util::ComplexValue b) {
  const double alpha = *static_cast<const double*>(op);
  return {a.real - alpha * b.real, a.imaginary - alpha * b.imaginary};
}

template <typename B>
Tensor& subtract_all(KernelRuntimeContext& ctx, const Tensor& a, const B& b, const Scalar& alpha,
                     Tensor& out) {
  if (util::any_complex(a, b)) {
    const double factor = util::ScalarValue(alpha).as<double>();
    return util::complex_binary(ctx, a, b, out, subtract_complex, &factor);
  }
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require_alpha(ctx, alpha, common, true)) {
    return out;
  }
  const Subtract op{util::as_element(alpha, common)};
  return util::binary(ctx, a, b, common, out, util::kBinaryArithmetic<Subtract>, &op);
}

}  // namespace

Tensor& sub_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, const Scalar& alpha,
                Tensor& out) {
  if (!is_defined(ctx, a.scalar_type() == ScalarType::Bool, b.scalar_type() == ScalarType::Bool)) {
    return out;
  }
  return subtract_all(ctx, a, b, alpha, out);
}

Tensor& sub_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                       const Scalar& alpha, Tensor& out) {
  if (!is_defined(ctx, a.scalar_type() == ScalarType::Bool, b.isBoolean()) ||
      !util::require_result_dtype(ctx, util::result_dtype(a, b), out)) {
    return out;
  }
  return subtract_all(ctx, a, b, alpha, out);
}

}  // namespace torch::executor::native
