#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Log {
  template <typename C>
  C operator()(C x) const {
    return std::log(x);
  }
};

}  // namespace

Tensor& log_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Log>);
}

}  // namespace torch::executor::native
