#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Sinh {
  template <typename C>
  C operator()(C x) const {
    return std::sinh(x);
  }
};

}  // namespace

Tensor& sinh_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Sinh>);
}

}  // namespace torch::executor::native
