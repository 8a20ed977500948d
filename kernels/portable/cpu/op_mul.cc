#include <executorch/kernels/portable/cpu/internal/complex_pointwise.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Multiply {
  template <typename C>
  C operator()(C a, C b) const {
    return util::wrapping_mul(a, b);
  }
};

util::ComplexValue multiply(const void*, util::ComplexValue a, util::ComplexValue b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

template <typename B>
Tensor& multiply_all(KernelRuntimeContext& ctx, const Tensor& a, const B& b, Tensor& out) {
  if (util::any_complex(a, b)) {
    return util::complex_binary(ctx, a, b, out, multiply);
  }
  return util::scaling(ctx, a, b, util::result_dtype(a, b), out, util::kBinaryArithmetic<Multiply>);
}

}  // namespace

Tensor& mul_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return multiply_all(ctx, a, b, out);
}

Tensor& mul_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  if (!util::require_result_dtype(ctx, util::result_dtype(a, b), out)) {
    return out;
  }
  return multiply_all(ctx, a, b, out);
}

}  // namespace torch::executor::native
