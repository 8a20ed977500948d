#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Cosh {
  template <typename C>
  C operator()(C x) const {
    return std::cosh(x);
  }
};

}  // namespace

Tensor& cosh_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Cosh>);
}

}  // namespace torch::executor::native
