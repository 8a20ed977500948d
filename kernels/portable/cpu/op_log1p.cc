#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Log1p {
  template <typename C>
  C operator()(C x) const {
    return std::log1p(x);
  }
};

}  // namespace

Tensor& log1p_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Log1p>);
}

}  // namespace torch::executor::native
