#include <executorch/kernels/portable/cpu/internal/shift.h>

namespace torch::executor::native {
namespace {

struct ShiftLeft {
  int64_t bits;  // of the dtype

  template <typename C>
  C operator()(C a, C b) const {
    return b < 0 || b >= bits ? C(0) : static_cast<C>(static_cast<uint64_t>(a) << b);
  }
};

}  // namespace

Tensor& bitwise_left_shift_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                                      Tensor& out) {
  return util::shift<ShiftLeft>(ctx, a, b, out);
}

Tensor& bitwise_left_shift_Tensor_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a,
                                             const Scalar& b, Tensor& out) {
  return util::shift<ShiftLeft>(ctx, a, b, out);
}

}  // namespace torch::executor::native
