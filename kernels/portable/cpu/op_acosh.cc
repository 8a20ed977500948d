#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Acosh {
  template <typename C>
  C operator()(C x) const {
    return std::acosh(x);
  }
};

}  // namespace

Tensor& acosh_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Acosh>);
}

}  // namespace torch::executor::native
