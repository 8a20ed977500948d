#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

/// NaN if either input is.
struct Minimum {
  template <typename C>
  C operator()(C a, C b) const {
    return util::nan_min(a, b);
  }
};

}  // namespace

Tensor& minimum_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return util::binary(ctx, a, b, util::result_dtype(a, b), out, util::kBinaryArithmetic<Minimum>);
}

}  // namespace torch::executor::native
