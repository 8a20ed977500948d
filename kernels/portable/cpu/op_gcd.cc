#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct GreatestDivisor {
  int64_t operator()(int64_t a, int64_t b) const { return util::greatest_divisor(a, b); }
};

constexpr util::Loops kLoops = {
    {nullptr, util::binary_loop<GreatestDivisor, int64_t, int64_t>, nullptr, nullptr}};

}  // namespace

Tensor& gcd_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require(ctx, util::is_integral_or_bool(common) && common != ScalarType::Bool,
                     "greatest common divisors are defined for integers")) {
    return out;
  }
  return util::binary(ctx, a, b, common, out, kLoops);
}

}  // namespace torch::executor::native
