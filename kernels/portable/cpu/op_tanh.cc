#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/vmath.h>

namespace torch::executor::native {
namespace {

struct Tanh {
  template <typename C>
  C operator()(C x) const {
    return util::fast_tanh(x);
  }
};

}  // namespace

Tensor& tanh_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kReplaceableFloat<Tanh, &util::FloatLoops::tanh>);
}

}  // namespace torch::executor::native
