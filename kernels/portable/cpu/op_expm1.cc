#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Expm1 {
  template <typename C>
  C operator()(C x) const {
    return std::expm1(x);
  }
};

}  // namespace

Tensor& expm1_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Expm1>);
}

}  // namespace torch::executor::native
