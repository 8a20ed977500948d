#include <cmath>

#include <executorch/kernels/portable/cpu/util/pointwise.h>

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
  const Logit op{util::ScalarValue(eps.value_or(0.0)), eps.has_value()};
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Logit>, &op);
}

}  // namespace torch::executor::native
