#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

/// Integers divided by zero are reported through `by_zero`.
struct Remainder {
  bool* by_zero;

  template <typename C>
  C operator()(C a, C b) const {
    if constexpr (std::is_integral_v<C>) {
      if (b == 0) {
        *by_zero = true;
        return 0;
      }
    }
    return util::mod_floor(a, b);
  }
};

template <typename B>
Tensor& run(KernelRuntimeContext& ctx, const Tensor& a, const B& b, Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require(ctx, common != ScalarType::Bool, "remainder is not defined for Bool")) {
    return out;
  }
  bool by_zero = false;
  const Remainder op{&by_zero};
  util::binary(ctx, a, b, common, out, util::kBinaryArithmetic<Remainder>, &op);
  util::require(ctx, !by_zero, "integer division by zero");
  return out;
}

}  // namespace

Tensor& remainder_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                             Tensor& out) {
  return run(ctx, a, b, out);
}

Tensor& remainder_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                             Tensor& out) {
  return run(ctx, a, b, out);
}

}  // namespace torch::executor::native
