#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Rsqrt {
  template <typename C>
  C operator()(C x) const {
    return C(1) / std::sqrt(x);
  }
};

}  // namespace

Tensor& rsqrt_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Rsqrt>);
}

}  // namespace torch::executor::native
