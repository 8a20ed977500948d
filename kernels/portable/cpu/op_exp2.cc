#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Exp2 {
  template <typename C>
  C operator()(C x) const {
    return std::exp2(x);
  }
};

}  // namespace

Tensor& exp2_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Exp2>);
}

}  // namespace torch::executor::native
