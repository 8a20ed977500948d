#include <executorch/kernels/portable/cpu/internal/integer_division.h>
#include <executorch/kernels/portable/cpu/internal/math.h>

namespace torch::executor::native {
namespace {

struct FloorDivide {
  template <typename C>
  C operator()(C a, C b) const {
    return util::div_floor(a, b);
  }
};

}  // namespace

Tensor& floor_divide_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return util::divide_integers<FloorDivide>(ctx, a, b, out, "floor_divide is not defined for Bool",
                                            util::scaling);
}

}  // namespace torch::executor::native
