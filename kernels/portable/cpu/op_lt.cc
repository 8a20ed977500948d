#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Less {
  template <typename C>
  bool operator()(C a, C b) const {
    return a < b;
  }
};

}  // namespace

Tensor& lt_tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return util::compare(ctx, a, b, out, util::kBinaryCompare<Less>);
}

Tensor& lt_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  return util::compare(ctx, a, b, out, util::kBinaryCompare<Less>);
}

}  // namespace torch::executor::native
