#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Cos {
  template <typename C>
  C operator()(C x) const {
    return std::cos(x);
  }
};

}  // namespace

Tensor& cos_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Cos>);
}

}  // namespace torch::executor::native
