#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Or {
  int64_t operator()(int64_t a, int64_t b) const { return a | b; }
  uint8_t operator()(uint8_t a, uint8_t b) const { return (a != 0) | (b != 0); }
};

}  // namespace

Tensor& bitwise_or_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                              Tensor& out) {
  return util::bitwise(ctx, a, b, out, util::kBinaryIntegral<Or>);
}

Tensor& bitwise_or_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                              Tensor& out) {
  return util::bitwise(ctx, a, b, out, util::kBinaryIntegral<Or>);
}

}  // namespace torch::executor::native
