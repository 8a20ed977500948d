#include <cmath>

#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native::util {
namespace {

/// Bits of an integer's magnitude, 0 if `t` is no integer.
int magnitude_bits(ScalarType t) {
  switch (t) {
    case ScalarType::Byte:
      return 8;
    case ScalarType::Char:
      return 7;
    case ScalarType::Short:
      return 15;
    case ScalarType::Int:
      return 31;
    case ScalarType::Long:
      return 63;
    default:
      return 0;
  }
}

/// Largest finite element of a floating dtype.
double largest(ScalarType t) {
  switch (t) {
    case ScalarType::Half:
      return 65504.0;
    case ScalarType::BFloat16:
      return 3.3895313892515355e38;
    case ScalarType::Float:
      return 3.4028234663852886e38;
    default:
      return 1.7976931348623157e308;
  }
}

bool fits_integer(const Scalar& value, ScalarType to) {
  const int bits = magnitude_bits(to);
  const bool is_unsigned = to == ScalarType::Byte;
  if (value.isFloatingPoint()) {
    const double x = value.to<double>();
    const double limit = std::ldexp(1.0, bits);
    // The largest Long is no double; of the others a fraction above the largest counts.
    return x >= (is_unsigned ? 0 : -limit) && (bits == 63 ? x < limit : x <= limit - 1);
  }
  const int64_t x = value.to<int64_t>();
  if (bits == 63) {
    return true;
  }
  const int64_t limit = int64_t{1} << bits;
  return (is_unsigned ? x > -limit : x >= -limit) && x < limit;
}

}  // namespace

bool is_representable(const Scalar& value, ScalarType to) {
  if (to == ScalarType::Bool || value.isBoolean()) {
    return true;
  }
  if (magnitude_bits(to) > 0) {
    return fits_integer(value, to);
  }
  const double x =
      value.isFloatingPoint() ? value.to<double>() : static_cast<double>(value.to<int64_t>());
  return !std::isfinite(x) || std::fabs(x) <= largest(to);
}

bool require_representable(KernelRuntimeContext& ctx, const Scalar& value, ScalarType to) {
  return require(ctx, is_representable(value, to), "the dtype cannot hold the value");
}

bool require_representable(KernelRuntimeContext& ctx, const Scalar& value, const Tensor& t) {
  return require_representable(ctx, value, t.scalar_type());
}

bool require_factor(KernelRuntimeContext& ctx, const Scalar& value, ScalarType t) {
  return require_representable(ctx, value, native_dtype(arithmetic_compute(t)));
}

bool require_alpha(KernelRuntimeContext& ctx, const Scalar& alpha, ScalarType common,
                   bool subtract) {
  if (!require(ctx, is_floating(common) || !alpha.isFloatingPoint(),
               "alpha must be an integer for an integer result")) {
    return false;
  }
  const bool negate = subtract && alpha.isIntegral(false) && alpha.to<int64_t>() != INT64_MIN;
  return require_representable(ctx, negate ? Scalar(-alpha.to<int64_t>()) : alpha, common);
}

ScalarValue as_element(const Scalar& value, ScalarType to) {
  const ScalarValue number(value);
  const Compute c = arithmetic_compute(to);
  if (to == ScalarType::Bool) {
    return ScalarValue(int64_t{number.as<uint8_t>()});
  }
  alignas(8) char element[8];
  if (c == Compute::kInt64) {
    int64_t wrapped = 0;
    store(c, to, &number.i, 1, element);
    load(c, to, element, 1, 1, &wrapped);
    return ScalarValue(wrapped);
  }
  if (c == Compute::kDouble) {
    return number;
  }
  float rounded = number.as<float>();
  store(c, to, &rounded, 1, element);
  load(c, to, element, 1, 1, &rounded);
  return ScalarValue(static_cast<double>(rounded));
}

}  // namespace torch::executor::native::util
