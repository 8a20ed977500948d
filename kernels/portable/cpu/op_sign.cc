#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

/// 0 for NaN, as in eager.
struct Sign {
  template <typename C>
  C operator()(C x) const {
    return static_cast<C>((x > C(0)) - (x < C(0)));
  }
};

}  // namespace

Tensor& sign_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_same(ctx, in, out, util::kUnaryArithmetic<Sign>, &util::kNoParameters, true);
}

}  // namespace torch::executor::native
