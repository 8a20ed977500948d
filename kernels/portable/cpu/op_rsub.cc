#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

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
      !util::require_alpha(ctx, alpha, common, true) ||
      !util::require_result_dtype(ctx, common, out)) {
    return out;
  }
  const ReverseSubtract op{util::as_element(alpha, common)};
  return util::binary(ctx, a, b, common, out, util::kBinaryArithmetic<ReverseSubtract>, &op);
}

}  // namespace torch::executor::native
