#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct Where {
  template <typename C>
  C operator()(uint8_t condition, C a, C b) const {
    return condition != 0 ? a : b;
  }
};

}  // namespace

Tensor& where_out(KernelRuntimeContext& ctx, const Tensor& cond, const Tensor& a, const Tensor& b,
                  Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require(
          ctx, cond.scalar_type() == ScalarType::Bool || cond.scalar_type() == ScalarType::Byte,
          "the condition must be Bool or Byte") ||
      !util::require_real(ctx, a) || !util::require_real(ctx, b) ||
      !util::require_result_dtype(ctx, common, out) ||
      !util::resize_broadcast(ctx, cond, a, b, out)) {
    return out;
  }
  const util::Compute c = util::arithmetic_compute(common);
  util::Elementwise elementwise(out);
  elementwise.add(cond, util::Compute::kBool);
  elementwise.add(a, c);
  elementwise.add(b, c);
  elementwise.run(util::kTernaryMasked<Where>.fn[static_cast<size_t>(c)], &util::kNoParameters, c,
                  common);
  return out;
}

}  // namespace torch::executor::native
