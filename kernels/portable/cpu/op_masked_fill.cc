#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
namespace {

struct MaskedFill {
  template <typename C>
  C operator()(uint8_t mask, C x, C value) const {
    return mask != 0 ? value : x;
  }
};

}  // namespace

Tensor& masked_fill_scalar_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mask,
                               const Scalar& value, Tensor& out) {
  if (!util::require(ctx, mask.scalar_type() == ScalarType::Bool, "the mask must be Bool") ||
      !util::require_real(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require_representable(ctx, value, in) || !util::resize_broadcast(ctx, in, mask, out)) {
    return out;
  }
  const util::Compute c = util::arithmetic_compute(in.scalar_type());
  util::Elementwise elementwise(out);
  elementwise.add(mask, util::Compute::kBool);
  elementwise.add(in, c);
  elementwise.add(util::as_element(value, in.scalar_type()), c);
  elementwise.run(util::kTernaryMasked<MaskedFill>.fn[static_cast<size_t>(c)], &util::kNoParameters,
                  c, in.scalar_type());
  return out;
}

}  // namespace torch::executor::native
