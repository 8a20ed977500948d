#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
namespace {

struct Hardtanh {
  util::ScalarValue low;
  util::ScalarValue high;

  template <typename C>
  C operator()(C x) const {
    const C lo = low.as<C>();
    const C hi = high.as<C>();
    const C y = x < lo ? lo : x;
    return y > hi ? hi : y;
  }
};

/// Integers have integer limits: fractions are cut off first. @returns false, and fails the
/// context, for a limit that the dtype has no room for.
bool set_limit(KernelRuntimeContext& ctx, const Scalar& value, ScalarType dtype,
               util::ScalarValue& limit) {
  const bool integer = !util::is_floating(dtype);
  if (integer && !util::require_representable(ctx, value, ScalarType::Long)) {
    return false;
  }
  const Scalar element = integer ? Scalar(util::ScalarValue(value).i) : value;
  limit = util::ScalarValue(element);
  if (!util::require(ctx, dtype != ScalarType::Byte || limit.i >= 0,
                     "an unsigned dtype has no negative limits")) {
    return false;
  }
  limit = util::as_element(element, dtype);
  return util::require_representable(ctx, element, dtype);
}

}  // namespace

Tensor& hardtanh_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& min_val,
                     const Scalar& max_val, Tensor& out) {
  Hardtanh op;
  if (!set_limit(ctx, min_val, in.scalar_type(), op.low) ||
      !set_limit(ctx, max_val, in.scalar_type(), op.high)) {
    return out;
  }
  return util::unary_same(ctx, in, out, util::kUnaryArithmetic<Hardtanh>, &op);
}

}  // namespace torch::executor::native
