#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Not {
  uint8_t operator()(uint8_t a) const { return a == 0; }
};

}  // namespace

Tensor& logical_not_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  using util::Compute;
  if (!util::require_real(ctx, in) || !util::require_storable(ctx, ScalarType::Bool, out) ||
      !util::resize_like(ctx, in, out)) {
    return out;
  }
  util::Elementwise elementwise(out);
  elementwise.add(in, Compute::kBool);
  elementwise.run(util::unary_loop<Not, uint8_t, uint8_t>, &util::kNoParameters, Compute::kBool,
                  ScalarType::Bool);
  return out;
}

}  // namespace torch::executor::native
