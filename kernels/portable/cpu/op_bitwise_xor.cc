#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Xor {
  int64_t operator()(int64_t a, int64_t b) const { return a ^ b; }
  uint8_t operator()(uint8_t a, uint8_t b) const { return (a != 0) ^ (b != 0); }
};

}  // namespace

Tensor& bitwise_xor_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                               Tensor& out) {
  return util::bitwise(ctx, a, b, out, util::kBinaryIntegral<Xor>);
}

Tensor& bitwise_xor_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                               Tensor& out) {
  return util::bitwise(ctx, a, b, out, util::kBinaryIntegral<Xor>);
}

}  // namespace torch::executor::native
