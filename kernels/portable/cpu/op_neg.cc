#include <executorch/kernels/portable/cpu/util/math.h>
#include <executorch/kernels/portable/cpu/util/pointwise.h>

namespace torch::executor::native {
namespace {

struct Neg {
  template <typename C>
  C operator()(C x) const {
    return util::wrapping_neg(x);
  }
};

}  // namespace

Tensor& neg_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_same(ctx, in, out, util::kUnaryArithmetic<Neg>);
}

}  // namespace torch::executor::native
