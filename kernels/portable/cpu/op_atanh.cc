#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Atanh {
  template <typename C>
  C operator()(C x) const {
    return std::atanh(x);
  }
};

}  // namespace

Tensor& atanh_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Atanh>);
}

}  // namespace torch::executor::native
