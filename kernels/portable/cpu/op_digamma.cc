#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/special/gamma.h>

namespace torch::executor::native {
namespace {

struct Digamma {
  template <typename C>
  C operator()(C x) const {
    return static_cast<C>(util::digamma(static_cast<double>(x)));
  }
};

}  // namespace

Tensor& digamma_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Digamma>);
}

}  // namespace torch::executor::native
