#include <executorch/kernels/portable/cpu/internal/complex_pointwise.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Neg {
  template <typename C>
  C operator()(C x) const {
    return util::wrapping_neg(x);
  }
};

util::ComplexValue negate(const void*, util::ComplexValue x) { return {-x.real, -x.imaginary}; }

}  // namespace

Tensor& neg_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  if (util::is_complex(in.scalar_type())) {
    return util::complex_unary(ctx, in, out, negate);
  }
  return util::unary_same(ctx, in, out, util::kUnaryArithmetic<Neg>);
}

}  // namespace torch::executor::native
