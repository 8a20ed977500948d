#include <executorch/kernels/portable/cpu/util/math.h>
#include <executorch/kernels/portable/cpu/util/pointwise.h>

namespace torch::executor::native {
namespace {

struct ReverseSubtract {
  util::ScalarValue alpha;

  template <typename C>
  C operator()(C a, C b) const {
    return util::wrapping_sub(b, util::wrapping_mul(alpha.as<C>(), a));
  }
};

}  // namespace

Tensor& rsub_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                        const Scalar& alpha, Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require(ctx, a.scalar_type() != ScalarType::Bool && !b.isBoolean(),
                     "rsub is not defined for Bool") ||
      !util::require(ctx, util::is_floating(common) || !alpha.isFloatingPoint(),
                     "alpha must be an integer for an integer result")) {
    return out;
  }
  const ReverseSubtract op{util::ScalarValue(alpha)};
  return util::binary(ctx, a, b, common, out, util::kBinaryArithmetic<ReverseSubtract>, &op);
}

}  // namespace torch::executor::native
