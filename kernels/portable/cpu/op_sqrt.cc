#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Sqrt {
  template <typename C>
  C operator()(C x) const {
    return std::sqrt(x);
  }
};

}  // namespace

Tensor& sqrt_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Sqrt>);
}

}  // namespace torch::executor::native
