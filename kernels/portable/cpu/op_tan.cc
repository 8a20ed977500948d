#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Tan {
  template <typename C>
  C operator()(C x) const {
    return std::tan(x);
  }
};

}  // namespace

Tensor& tan_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Tan>);
}

}  // namespace torch::executor::native
