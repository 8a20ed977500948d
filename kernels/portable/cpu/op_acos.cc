#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Acos {
  template <typename C>
  C operator()(C x) const {
    return std::acos(x);
  }
};

}  // namespace

Tensor& acos_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Acos>);
}

}  // namespace torch::executor::native
