#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Log2 {
  template <typename C>
  C operator()(C x) const {
    return std::log2(x);
  }
};

}  // namespace

Tensor& log2_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Log2>);
}

}  // namespace torch::executor::native
