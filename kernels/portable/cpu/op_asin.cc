#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Asin {
  template <typename C>
  C operator()(C x) const {
    return std::asin(x);
  }
};

}  // namespace

Tensor& asin_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Asin>);
}

}  // namespace torch::executor::native
