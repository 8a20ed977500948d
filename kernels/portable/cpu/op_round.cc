#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

/// Halves go to the even neighbour whatever the rounding mode.
struct Round {
  template <typename C>
  C operator()(C x) const {
    const C nearest = std::round(x);
    return std::fabs(x - std::trunc(x)) == C(0.5) ? C(2) * std::round(x / C(2)) : nearest;
  }
};

}  // namespace

Tensor& round_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_rounding(ctx, in, out, util::kUnaryFloat<Round>);
}

}  // namespace torch::executor::native
