#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
namespace {

struct LeakyRelu {
  util::ScalarValue slope;

  template <typename C>
  C operator()(C x) const {
    return x > C(0) ? x : x * slope.as<C>();
  }
};

}  // namespace

Tensor& leaky_relu_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& negative_slope,
                       Tensor& out) {
  if (!util::require_factor(ctx, negative_slope, in.scalar_type())) {
    return out;
  }
  const LeakyRelu op{util::ScalarValue(negative_slope)};
  return util::unary_float_only(ctx, in, out, util::kUnaryFloat<LeakyRelu>, &op);
}

}  // namespace torch::executor::native
