#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct ShiftLeft {
  int64_t bits;  // of the dtype

  template <typename C>
  C operator()(C a, C b) const {
    return b < 0 || b >= bits ? C(0) : static_cast<C>(static_cast<uint64_t>(a) << b);
  }
};

constexpr util::Loops kLoops = {
    {nullptr, util::binary_loop<ShiftLeft, int64_t, int64_t>, nullptr, nullptr}};

template <typename B>
Tensor& shift(KernelRuntimeContext& ctx, const Tensor& a, const B& b, Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require(ctx, util::is_integral_or_bool(common) && common != ScalarType::Bool,
                     "shifts are defined for integers")) {
    return out;
  }
  const ShiftLeft op{static_cast<int64_t>(8 * executorch::runtime::elementSize(common))};
  return util::binary(ctx, a, b, common, out, kLoops, &op);
}

}  // namespace

Tensor& bitwise_left_shift_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                                      Tensor& out) {
  return shift(ctx, a, b, out);
}

Tensor& bitwise_left_shift_Tensor_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a,
                                             const Scalar& b, Tensor& out) {
  return shift(ctx, a, b, out);
}

}  // namespace torch::executor::native
