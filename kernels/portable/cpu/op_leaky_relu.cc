#include <executorch/kernels/portable/cpu/util/pointwise.h>

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
  const LeakyRelu op{util::ScalarValue(negative_slope)};
  return util::unary_float_only(ctx, in, out, util::kUnaryFloat<LeakyRelu>, &op);
}

}  // namespace torch::executor::native
