#include <cmath>

#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
namespace {

struct Power {
  int64_t operator()(int64_t base, int64_t exponent) const { return util::int_pow(base, exponent); }
  template <typename C>
  C operator()(C base, C exponent) const {
    return std::pow(base, exponent);
  }
};

/// Powers that models are full of, without the cost of a general one.
struct Square {
  template <typename C>
  C operator()(C x) const {
    return util::wrapping_mul(x, x);
  }
};
struct Cube {
  template <typename C>
  C operator()(C x) const {
    return util::wrapping_mul(util::wrapping_mul(x, x), x);
  }
};

bool check_not_bool(KernelRuntimeContext& ctx, ScalarType common) {
  return util::require(ctx, common != ScalarType::Bool, "pow is not defined for Bool");
}

}  // namespace

Tensor& pow_Tensor_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                              Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  if (!check_not_bool(ctx, common)) {
    return out;
  }
  return util::binary(ctx, a, b, common, out, util::kBinaryArithmetic<Power>);
}

Tensor& pow_Tensor_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                              Tensor& out) {
  const ScalarType common = util::result_dtype(a, b);
  const util::ScalarValue exponent(b);
  // A float may be too large; it is infinity then.
  if (!check_not_bool(ctx, common) ||
      (common != ScalarType::Float && !util::require_representable(ctx, b, common)) ||
      !util::require(ctx, util::is_floating(common) || exponent.i >= 0,
                     "integers to negative integer powers are not defined")) {
    return out;
  }
  const bool one_dtype = common == a.scalar_type() && common == out.scalar_type();
  if (one_dtype && exponent.d == 2) {
    return util::unary_same(ctx, a, out, util::kUnaryArithmetic<Square>);
  }
  if (one_dtype && exponent.d == 3) {
    return util::unary_same(ctx, a, out, util::kUnaryArithmetic<Cube>);
  }
  return util::binary(ctx, a, b, common, out, util::kBinaryArithmetic<Power>);
}

Tensor& pow_Scalar_out(KernelRuntimeContext& ctx, const Scalar& a, const Tensor& b, Tensor& out) {
  const ScalarType common = util::result_dtype(b, a);
  if (!check_not_bool(ctx, common)) {
    return out;
  }
  return util::binary(ctx, a, b, common, out, util::kBinaryArithmetic<Power>);
}

}  // namespace torch::executor::native
