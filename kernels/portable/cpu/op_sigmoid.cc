#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/vmath.h>

namespace torch::executor::native {
namespace {

struct Sigmoid {
  template <typename C>
  C operator()(C x) const {
    return util::fast_sigmoid(x);
  }
};

}  // namespace

Tensor& sigmoid_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out,
                           util::kReplaceableFloat<Sigmoid, &util::FloatLoops::sigmoid>);
}

}  // namespace torch::executor::native
