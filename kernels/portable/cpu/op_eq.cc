#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Equal {
  template <typename C>
  bool operator()(C a, C b) const {
    return a == b;
  }
};

}  // namespace

Tensor& eq_tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return util::compare(ctx, a, b, out, util::kBinaryCompare<Equal>);
}

Tensor& eq_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  return util::compare(ctx, a, b, out, util::kBinaryCompare<Equal>);
}

}  // namespace torch::executor::native
