#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
namespace {

struct Logit {
  util::ScalarValue eps;
  bool clamps;

  template <typename C>
  C operator()(C x) const {
    if (clamps) {
      const C low = eps.as<C>();
      x = x < low ? low : x > C(1) - low ? C(1) - low : x;
    }
    return std::log(x / (C(1) - x));
  }
};

}  // namespace

Tensor& logit_out(KernelRuntimeContext& ctx, const Tensor& in, optional<double> eps, Tensor& out) {
  const Scalar bound(eps.value_or(0.0));
  const ScalarType dtype = util::to_floating(in.scalar_type());
  if (!util::require_representable(ctx, bound, dtype)) {
    return out;
  }
  const Logit op{util::as_element(bound, dtype), eps.has_value()};
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Logit>, &op);
}

}  // namespace torch::executor::native
