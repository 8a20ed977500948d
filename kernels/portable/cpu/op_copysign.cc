#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct CopySign {
  template <typename C>
  C operator()(C a, C b) const {
    return std::copysign(a, b);
  }
};

}  // namespace

Tensor& copysign_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return util::binary(ctx, a, b, util::to_floating(util::result_dtype(a, b)), out,
                      util::kBinaryFloat<CopySign>);
}

Tensor& copysign_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                            Tensor& out) {
  return util::binary(ctx, a, b, util::to_floating(util::result_dtype(a, b)), out,
                      util::kBinaryFloat<CopySign>);
}

}  // namespace torch::executor::native
