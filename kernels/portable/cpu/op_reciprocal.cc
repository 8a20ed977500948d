#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Reciprocal {
  template <typename C>
  C operator()(C x) const {
    return C(1) / x;
  }
};

}  // namespace

Tensor& reciprocal_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Reciprocal>);
}

}  // namespace torch::executor::native
