#include <executorch/kernels/portable/cpu/internal/shift.h>

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

}  // namespace

Tensor& bitwise_right_shift_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                                       Tensor& out) {
  return util::shift<ShiftRight>(ctx, a, b, out);
}

Tensor& bitwise_right_shift_Tensor_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a,
                                              const Scalar& b, Tensor& out) {
  return util::shift<ShiftRight>(ctx, a, b, out);
}

}  // namespace torch::executor::native
