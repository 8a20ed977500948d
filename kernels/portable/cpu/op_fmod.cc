#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

/// Integers divided by zero are reported through `by_zero`.
struct Fmod {
  bool* by_zero;

  template <typename C>
  C operator()(C a, C b) const {
    if constexpr (std::is_integral_v<C>) {
      if (b == 0) {
        *by_zero = true;
        return 0;
      }
    }
    return util::mod_trunc(a, b);
  }
};

template <typename B>
Tensor& run(KernelRuntimeContext& ctx, const Tensor& a, const B& b, Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require(ctx, common != ScalarType::Bool, "fmod is not defined for Bool")) {
    return out;
  }
  bool by_zero = false;
  const Fmod op{&by_zero};
  util::binary(ctx, a, b, common, out, util::kBinaryArithmetic<Fmod>, &op);
  util::require(ctx, !by_zero, "integer division by zero");
  return out;
}

}  // namespace

Tensor& fmod_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return run(ctx, a, b, out);
}

Tensor& fmod_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  return run(ctx, a, b, out);
}

}  // namespace torch::executor::native
