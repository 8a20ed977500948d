#include <cmath>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/complex_pointwise.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Abs {
  template <typename C>
  C operator()(C x) const {
    if constexpr (std::is_integral_v<C>) {
      return x < 0 ? util::wrapping_neg(x) : x;
    } else {
      return std::fabs(x);
    }
  }
};

util::ComplexValue magnitude(const void*, util::ComplexValue x) {
  return {std::hypot(x.real, x.imaginary), 0};
}

}  // namespace

Tensor& abs_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  if (util::is_complex(in.scalar_type())) {
    return util::complex_unary(ctx, in, out, magnitude);
  }
  return util::unary_same(ctx, in, out, util::kUnaryArithmetic<Abs>);
}

}  // namespace torch::executor::native
