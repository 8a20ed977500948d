#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
namespace {

/// First the lower bound, then the upper one, so that the upper one wins. NaN anywhere gives NaN.
struct Clamp {
  util::ScalarValue low;
  util::ScalarValue high;
  bool has_low;
  bool has_high;

  template <typename C>
  C operator()(C x) const {
    C y = x;
    if (has_low) {
      y = util::nan_max(y, low.as<C>());
    }
    if (has_high) {
      y = util::nan_min(y, high.as<C>());
    }
    return y;
  }
};

struct ClampBoth {
  template <typename C>
  C operator()(C x, C low, C high) const {
    return util::nan_min(util::nan_max(x, low), high);
  }
};
struct ClampLow {
  template <typename C>
  C operator()(C x, C low) const {
    return util::nan_max(x, low);
  }
};
struct ClampHigh {
  template <typename C>
  C operator()(C x, C high) const {
    return util::nan_min(x, high);
  }
};

/// @returns false, and fails the context, if there is a bound that `common` has no room for.
bool set_bound(KernelRuntimeContext& ctx, const optional<Scalar>& bound, ScalarType common,
               util::ScalarValue& value) {
  if (bound.has_value()) {
    value = util::as_element(*bound, common);
  }
  return !bound.has_value() || util::require_representable(ctx, *bound, common);
}

}  // namespace

Tensor& clamp_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<Scalar>& min,
                  const optional<Scalar>& max, Tensor& out) {
  if (!util::require(ctx, min.has_value() || max.has_value(), "clamp needs a bound") ||
      !util::require_real(ctx, in)) {
    return out;
  }
  ScalarType common = in.scalar_type();
  common = min.has_value() ? util::result_dtype(common, *min) : common;
  common = max.has_value() ? util::result_dtype(common, *max) : common;
  Clamp op{{}, {}, min.has_value(), max.has_value()};
  if (!util::require(ctx, common != ScalarType::Bool, "clamp is not defined for Bool") ||
      !set_bound(ctx, min, common, op.low) || !set_bound(ctx, max, common, op.high) ||
      !util::require_result_dtype(ctx, common, out) || !util::resize_like(ctx, in, out)) {
    return out;
  }
  const util::Compute c = util::arithmetic_compute(common);
  util::Elementwise elementwise(out);
  elementwise.add(in, c);
  elementwise.run(util::kUnaryArithmetic<Clamp>.fn[static_cast<size_t>(c)], &op, c, common);
  return out;
}

Tensor& clamp_tensor_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& min,
                         const optional<Tensor>& max, Tensor& out) {
  if (!util::require(ctx, min.has_value() || max.has_value(), "clamp needs a bound")) {
    return out;
  }
  if (!max.has_value()) {
    return util::binary(ctx, in, *min, util::result_dtype(in, *min), out,
                        util::kBinaryArithmetic<ClampLow>);
  }
  if (!min.has_value()) {
    return util::binary(ctx, in, *max, util::result_dtype(in, *max), out,
                        util::kBinaryArithmetic<ClampHigh>);
  }
  const Tensor* const inputs[] = {&in, &*min, &*max};
  const ScalarType common = util::result_dtype(inputs, 3);
  if (!util::require_real(ctx, in) || !util::require_real(ctx, *min) ||
      !util::require_real(ctx, *max) || !util::require_storable(ctx, common, out) ||
      !util::resize_broadcast(ctx, in, *min, *max, out)) {
    return out;
  }
  const util::Compute c = util::arithmetic_compute(common);
  util::Elementwise elementwise(out);
  for (const Tensor* input : inputs) {
    elementwise.add(*input, c);
  }
  elementwise.run(util::kTernaryArithmetic<ClampBoth>.fn[static_cast<size_t>(c)],
                  &util::kNoParameters, c, common);
  return out;
}

}  // namespace torch::executor::native
