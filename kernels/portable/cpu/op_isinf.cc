#include <cmath>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Isinf {
  template <typename C>
  bool operator()(C x) const {
    return std::is_floating_point_v<C> && std::isinf(static_cast<double>(x));
  }
};

}  // namespace

Tensor& isinf_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  if (!util::require_result_dtype(ctx, ScalarType::Bool, out)) {
    return out;
  }
  return util::unary_test(ctx, in, out, util::kUnaryCompare<Isinf>);
}

}  // namespace torch::executor::native
