#include <cmath>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Hypotenuse {
  template <typename C>
  C operator()(C a, C b) const {
    return std::hypot(a, b);
  }
};

}  // namespace

Tensor& hypot_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require(ctx, util::is_floating(common), "hypot is defined for floating tensors")) {
    return out;
  }
  return util::binary(ctx, a, b, common, out, util::kBinaryFloat<Hypotenuse>);
}

}  // namespace torch::executor::native
