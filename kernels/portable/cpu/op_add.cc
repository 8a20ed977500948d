#include <executorch/kernels/portable/cpu/internal/complex_pointwise.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
namespace {

struct Add {
  util::ScalarValue alpha;

  template <typename C>
  C operator()(C a, C b) const {
    return util::wrapping_add(a, util::wrapping_mul(alpha.as<C>(), b));
  }
};

/// `op` is alpha, a double.
util::ComplexValue add_complex(const void* op, util::ComplexValue a, util::ComplexValue b) {
  const double alpha = *static_cast<const double*>(op);
  return {a.real + alpha * b.real, a.imaginary + alpha * b.imaginary};
}

template <typename B>
Tensor& add_all(KernelRuntimeContext& ctx, const Tensor& a, const B& b, const Scalar& alpha,
                Tensor& out) {
  if (util::any_complex(a, b)) {
    const double factor = util::ScalarValue(alpha).as<double>();
    return util::complex_binary(ctx, a, b, out, add_complex, &factor);
  }
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require_alpha(ctx, alpha, common, false)) {
    return out;
  }
  const Add op{util::as_element(alpha, common)};
  return util::binary(ctx, a, b, common, out, util::kBinaryArithmetic<Add>, &op);
}

}  // namespace

Tensor& add_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, const Scalar& alpha,
                Tensor& out) {
  return add_all(ctx, a, b, alpha, out);
}

Tensor& add_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                       const Scalar& alpha, Tensor& out) {
  if (!util::require_result_dtype(ctx, util::result_dtype(a, b), out)) {
    return out;
  }
  return add_all(ctx, a, b, alpha, out);
}

}  // namespace torch::executor::native
