#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/vmath.h>

namespace torch::executor::native {
namespace {

struct Erf {
  template <typename C>
  C operator()(C x) const {
    return util::fast_erf(x);
  }
};

}  // namespace

Tensor& erf_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<Erf>);
}

}  // namespace torch::executor::native
