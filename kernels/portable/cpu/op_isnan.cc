#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Isnan {
  template <typename C>
  bool operator()(C x) const {
    return util::is_nan(x);
  }
};

}  // namespace

Tensor& isnan_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  if (!util::require_result_dtype(ctx, ScalarType::Bool, out)) {
    return out;
  }
  return util::unary_test(ctx, in, out, util::kUnaryCompare<Isnan>);
}

}  // namespace torch::executor::native
