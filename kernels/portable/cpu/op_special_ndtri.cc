#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/special/error_function.h>

namespace torch::executor::native {
namespace {

struct NormalQuantile {
  template <typename C>
  C operator()(C x) const {
    return static_cast<C>(util::normal_quantile(static_cast<double>(x)));
  }
};

}  // namespace

Tensor& special_ndtri_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<NormalQuantile>);
}

}  // namespace torch::executor::native
