#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct NumberMaximum {
  int64_t operator()(int64_t a, int64_t b) const { return a > b ? a : b; }
  template <typename C>
  C operator()(C a, C b) const {
    return std::fmax(a, b);
  }
};

}  // namespace

Tensor& fmax_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return util::binary(ctx, a, b, util::result_dtype(a, b), out,
                      util::kBinaryArithmetic<NumberMaximum>);
}

}  // namespace torch::executor::native
