#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Asinh {
  template <typename C>
  C operator()(C x) const {
    return std::asinh(x);
  }
};

}  // namespace

Tensor& asinh_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Asinh>);
}

}  // namespace torch::executor::native
