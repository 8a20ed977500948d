#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct GreaterEqual {
  template <typename C>
  bool operator()(C a, C b) const {
    return a >= b;
  }
};

}  // namespace

Tensor& ge_tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return util::compare(ctx, a, b, out, util::kBinaryCompare<GreaterEqual>);
}

Tensor& ge_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  return util::compare(ctx, a, b, out, util::kBinaryCompare<GreaterEqual>);
}

}  // namespace torch::executor::native
