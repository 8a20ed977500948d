#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
namespace {

struct Elu {
  util::ScalarValue negative;  // alpha * scale
  util::ScalarValue scale;
  util::ScalarValue input_scale;

  template <typename C>
  C operator()(C x) const {
    return x < C(0) ? std::expm1(x * input_scale.as<C>()) * negative.as<C>() : x * scale.as<C>();
  }
};

}  // namespace

Tensor& elu_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& alpha,
                const Scalar& scale, const Scalar& input_scale, Tensor& out) {
  const ScalarType dtype = in.scalar_type();
  if (!util::require_factor(ctx, alpha, dtype) || !util::require_factor(ctx, scale, dtype) ||
      !util::require_factor(ctx, input_scale, dtype)) {
    return out;
  }
  const util::ScalarValue scale_value(scale);
  const Elu op{util::ScalarValue(util::ScalarValue(alpha).d * scale_value.d), scale_value,
               util::ScalarValue(input_scale)};
  return util::unary_float_only(ctx, in, out, util::kUnaryFloat<Elu>, &op);
}

}  // namespace torch::executor::native
