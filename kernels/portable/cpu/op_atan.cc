#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Atan {
  template <typename C>
  C operator()(C x) const {
    return std::atan(x);
  }
};

}  // namespace

Tensor& atan_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Atan>);
}

}  // namespace torch::executor::native
