#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/special/gamma.h>

namespace torch::executor::native {
namespace {

struct IncompleteGammaComplement {
  template <typename C>
  C operator()(C a, C x) const {
    return static_cast<C>(util::incomplete_gamma(static_cast<double>(a), static_cast<double>(x),
                                                 /*upper=*/true));
  }
};

}  // namespace

Tensor& igammac_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& x, Tensor& out) {
  const ScalarType common = util::result_dtype(a, x);
  if (!util::require(ctx, util::is_floating(common), "igammac is defined for floating tensors")) {
    return out;
  }
  return util::binary(ctx, a, x, common, out, util::kBinaryFloat<IncompleteGammaComplement>);
}

}  // namespace torch::executor::native
