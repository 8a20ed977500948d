#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct LogGamma {
  template <typename C>
  C operator()(C x) const {
    return std::lgamma(x);
  }
};

}  // namespace

Tensor& lgamma_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<LogGamma>);
}

}  // namespace torch::executor::native
