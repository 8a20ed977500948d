#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct BitNot {
  int64_t operator()(int64_t a) const { return ~a; }
};

struct Not {
  uint8_t operator()(uint8_t a) const { return a == 0; }
};

}  // namespace

Tensor& bitwise_not_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  using util::Compute;
  const ScalarType dtype = in.scalar_type();
  if (!util::require(ctx, util::is_integral_or_bool(dtype),
                     "bitwise_not is defined for integers and Bool") ||
      !util::require_same_dtype(ctx, in, out) || !util::resize_like(ctx, in, out)) {
    return out;
  }
  const bool truth = dtype == ScalarType::Bool;
  const Compute c = truth ? Compute::kBool : Compute::kInt64;
  util::Elementwise elementwise(out);
  elementwise.add(in, c);
  elementwise.run(
      truth ? util::unary_loop<Not, uint8_t, uint8_t> : util::unary_loop<BitNot, int64_t, int64_t>,
      &util::kNoParameters, c, dtype);
  return out;
}

}  // namespace torch::executor::native
