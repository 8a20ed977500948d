#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Ceil {
  template <typename C>
  C operator()(C x) const {
    return std::ceil(x);
  }
};

}  // namespace

Tensor& ceil_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_rounding(ctx, in, out, util::kUnaryFloat<Ceil>);
}

}  // namespace torch::executor::native
