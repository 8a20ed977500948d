#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Trunc {
  template <typename C>
  C operator()(C x) const {
    return std::trunc(x);
  }
};

}  // namespace

Tensor& trunc_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_rounding(ctx, in, out, util::kUnaryFloat<Trunc>);
}

}  // namespace torch::executor::native
