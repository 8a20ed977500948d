#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Erfc {
  template <typename C>
  C operator()(C x) const {
    return std::erfc(x);
  }
};

}  // namespace

Tensor& erfc_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Erfc>);
}

}  // namespace torch::executor::native
