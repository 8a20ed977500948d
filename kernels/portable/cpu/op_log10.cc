#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Log10 {
  template <typename C>
  C operator()(C x) const {
    return std::log10(x);
  }
};

}  // namespace

Tensor& log10_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Log10>);
}

}  // namespace torch::executor::native
