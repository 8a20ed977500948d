#include <cmath>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct SignBit {
  template <typename C>
  uint8_t operator()(C x) const {
    if constexpr (std::is_integral_v<C>) {
      return x < 0 ? 1 : 0;
    } else {
      return std::signbit(x) ? 1 : 0;
    }
  }
};

}  // namespace

Tensor& signbit_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::unary_test(ctx, in, out, util::kUnaryCompare<SignBit>);
}

}  // namespace torch::executor::native
