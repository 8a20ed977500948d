#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct ShiftRight {
  int64_t bits;  // of the dtype

  template <typename C>
  C operator()(C a, C b) const {
    // Shifting everything out leaves the sign.
    return a >> (b < 0 || b >= bits ? bits - 1 : b);
  }
};

constexpr util::Loops kLoops = {
    {nullptr, util::binary_loop<ShiftRight, int64_t, int64_t>, nullptr, nullptr}};

template <typename B>
Tensor& shift(KernelRuntimeContext& ctx, const Tensor& a, const B& b, Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require(ctx, util::is_integral_or_bool(common) && common != ScalarType::Bool,
                     "shifts are defined for integers")) {
    return out;
  }
  const ShiftRight op{static_cast<int64_t>(8 * executorch::runtime::elementSize(common))};
  return util::binary(ctx, a, b, common, out, kLoops, &op);
}

}  // namespace

Tensor& bitwise_right_shift_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                                       Tensor& out) {
  return shift(ctx, a, b, out);
}

Tensor& bitwise_right_shift_Tensor_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a,
                                              const Scalar& b, Tensor& out) {
  return shift(ctx, a, b, out);
}

}  // namespace torch::executor::native
