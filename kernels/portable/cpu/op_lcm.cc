#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

/// Wraps where the multiple is too large, as in eager.
int64_t multiple(int64_t a, int64_t b) {
  const int64_t common = util::greatest_divisor(a, b);
  if (common == 0) {
    return 0;
  }
  const int64_t product = util::wrapping_mul(util::div_trunc(a, common), b);
  return product < 0 ? util::wrapping_neg(product) : product;
}

struct LeastMultiple {
  int64_t operator()(int64_t a, int64_t b) const { return multiple(a, b); }
};

constexpr util::Loops kLoops = {
    {nullptr, util::binary_loop<LeastMultiple, int64_t, int64_t>, nullptr, nullptr}};

}  // namespace

Tensor& lcm_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (!util::require(ctx, util::is_integral_or_bool(common) && common != ScalarType::Bool,
                     "least common multiples are defined for integers")) {
    return out;
  }
  return util::binary(ctx, a, b, common, out, kLoops);
}

}  // namespace torch::executor::native
