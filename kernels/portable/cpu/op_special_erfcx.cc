#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/special/error_function.h>

namespace torch::executor::native {
namespace {

struct ScaledErfc {
  template <typename C>
  C operator()(C x) const {
    return static_cast<C>(util::scaled_erfc(static_cast<double>(x)));
  }
};

}  // namespace

Tensor& special_erfcx_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_float(ctx, in, out, util::kUnaryFloat<ScaledErfc>);
}

}  // namespace torch::executor::native
