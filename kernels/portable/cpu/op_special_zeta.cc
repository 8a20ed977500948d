#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/special/gamma.h>

namespace torch::executor::native {
namespace {

struct Zeta {
  template <typename C>
  C operator()(C s, C q) const {
    return static_cast<C>(util::zeta(static_cast<double>(s), static_cast<double>(q)));
  }
};

}  // namespace

Tensor& special_zeta_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return util::binary(ctx, a, b, util::to_floating(util::result_dtype(a, b)), out,
                      util::kBinaryFloat<Zeta>);
}

Tensor& special_zeta_other_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                                      Tensor& out) {
  return util::binary(ctx, a, b, util::to_floating(util::result_dtype(a, b)), out,
                      util::kBinaryFloat<Zeta>);
}

Tensor& special_zeta_self_scalar_out(KernelRuntimeContext& ctx, const Scalar& a, const Tensor& b,
                                     Tensor& out) {
  return util::binary(ctx, a, b, util::to_floating(util::result_dtype(b, a)), out,
                      util::kBinaryFloat<Zeta>);
}

}  // namespace torch::executor::native
