#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct NotEqual {
  template <typename C>
  bool operator()(C a, C b) const {
    return a != b;
  }
};

}  // namespace

Tensor& ne_tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return util::compare(ctx, a, b, out, util::kBinaryCompare<NotEqual>);
}

Tensor& ne_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  return util::compare(ctx, a, b, out, util::kBinaryCompare<NotEqual>);
}

}  // namespace torch::executor::native
