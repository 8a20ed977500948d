#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Floor {
  template <typename C>
  C operator()(C x) const {
    return std::floor(x);
  }
};

}  // namespace

Tensor& floor_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_rounding(ctx, in, out, util::kUnaryFloat<Floor>);
}

}  // namespace torch::executor::native
