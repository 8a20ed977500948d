#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

/// NaN stays NaN.
struct Relu {
  template <typename C>
  C operator()(C x) const {
    return x < C(0) ? C(0) : x;
  }
};

}  // namespace

Tensor& relu_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_same(ctx, in, out, util::kUnaryArithmetic<Relu>);
}

}  // namespace torch::executor::native
