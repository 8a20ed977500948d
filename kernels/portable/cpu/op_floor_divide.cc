#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

/// Integers divided by zero are reported through `by_zero`.
struct FloorDivide {
  bool* by_zero;

  template <typename C>
  C operator()(C a, C b) const {
    if constexpr (std::is_integral_v<C>) {
      if (b == 0) {
        *by_zero = true;
        return 0;
      }
    }
    return util::div_floor(a, b);
  }
};

}  // namespace

Tensor& floor_divide_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require(ctx, common != ScalarType::Bool, "floor_divide is not defined for Bool")) {
    return out;
  }
  bool by_zero = false;
  const FloorDivide op{&by_zero};
  util::scaling(ctx, a, b, common, out, util::kBinaryArithmetic<FloorDivide>, &op);
  util::require(ctx, !by_zero, "integer division by zero");
  return out;
}

}  // namespace torch::executor::native
