#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Sin {
  template <typename C>
  C operator()(C x) const {
    return std::sin(x);
  }
};

}  // namespace

Tensor& sin_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Sin>);
}

}  // namespace torch::executor::native
