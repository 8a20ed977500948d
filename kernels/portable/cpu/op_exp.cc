#include <cmath>

#include <executorch/kernels/portable/cpu/util/pointwise.h>

namespace torch::executor::native {
namespace {

struct Exp {
  template <typename C>
  C operator()(C x) const {
    return std::exp(x);
  }
};

}  // namespace

Tensor& exp_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Exp>);
}

}  // namespace torch::executor::native
