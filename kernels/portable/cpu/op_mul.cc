#include <executorch/kernels/portable/cpu/util/math.h>
#include <executorch/kernels/portable/cpu/util/pointwise.h>

namespace torch::executor::native {
namespace {

struct Multiply {
  template <typename C>
  C operator()(C a, C b) const {
    return util::wrapping_mul(a, b);
  }
};

}  // namespace

Tensor& mul_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return util::binary(ctx, a, b, util::result_dtype(a, b), out, util::kBinaryArithmetic<Multiply>);
}

Tensor& mul_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  return util::binary(ctx, a, b, util::result_dtype(a, b), out, util::kBinaryArithmetic<Multiply>);
}

}  // namespace torch::executor::native
