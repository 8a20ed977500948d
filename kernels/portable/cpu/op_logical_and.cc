#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct And {
  uint8_t operator()(uint8_t a, uint8_t b) const { return a != 0 && b != 0; }
};

}  // namespace

Tensor& logical_and_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return util::logical(ctx, a, b, out, util::kBinaryLogical<And>);
}

}  // namespace torch::executor::native
