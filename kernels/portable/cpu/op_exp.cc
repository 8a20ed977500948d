#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/vmath.h>

namespace torch::executor::native {
namespace {

struct Exp {
  template <typename C>
  C operator()(C x) const {
    return util::fast_exp(x);
  }
};

}  // namespace

Tensor& exp_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out,
                           util::kReplaceableFloat<Exp, &util::FloatLoops::exponential>);
}

}  // namespace torch::executor::native
