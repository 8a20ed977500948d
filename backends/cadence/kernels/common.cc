#include <executorch/backends/cadence/kernels/common.h>
#include <executorch/kernels/portable/cpu/internal/element.h>

namespace impl::generic::native {

namespace util = torch::executor::native::util;

namespace {

template <typename T>
bool holds(int64_t value) {
  return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

bool holds(ScalarType dtype, int64_t value) {
  switch (dtype) {
    case ScalarType::Char:
      return holds<int8_t>(value);
    case ScalarType::Byte:
      return holds<uint8_t>(value);
    case ScalarType::Short:
      return holds<int16_t>(value);
    case ScalarType::UInt16:
      return holds<uint16_t>(value);
    case ScalarType::Int:
      return holds<int32_t>(value);
    default:
      return false;
  }
}

}  // namespace

bool read_zero_point(KernelRuntimeContext& ctx, ScalarType dtype, int64_t zero_point,
                     int32_t& value) {
  value = static_cast<int32_t>(zero_point);
  return require(ctx, holds(dtype, zero_point), "the integers must hold the zero point");
}

bool read_quant(KernelRuntimeContext& ctx, ScalarType dtype, double scale, int64_t zero_point,
                Quant& quant) {
  quant.scale = static_cast<float>(scale);
  quant.inverse = static_cast<float>(1.0 / scale);
  return require(ctx, quant.scale > 0 && std::isfinite(quant.scale) && std::isfinite(quant.inverse),
                 "the scale must be above zero") &&
         read_zero_point(ctx, dtype, zero_point, quant.zero_point);
}

bool read_factor(KernelRuntimeContext& ctx, int64_t multiplier, int64_t shift, float& factor) {
  if (!require(ctx, multiplier >= 0 && multiplier <= std::numeric_limits<int32_t>::max(),
               "the multiplier must be one of 31 bits") ||
      !require(ctx, shift >= -62 && shift <= 62, "the shift is out of range")) {
    return false;
  }
  const double exact = std::ldexp(static_cast<double>(multiplier), static_cast<int>(shift) - 31);
  factor = static_cast<float>(exact);
  return true;
}

bool read_number(KernelRuntimeContext& ctx, const Tensor& tensor, double& value) {
  if (!util::require_real(ctx, tensor) ||
      !require(ctx, tensor.numel() == 1, "a number must be a tensor of one value")) {
    return false;
  }
  value = util::get_element<double>(util::View(tensor), 0);
  return true;
}

bool read_integer(KernelRuntimeContext& ctx, const Tensor& tensor, int64_t& value) {
  if (!util::require_real(ctx, tensor) ||
      !require(ctx, tensor.numel() == 1, "a number must be a tensor of one value")) {
    return false;
  }
  value = util::get_element<int64_t>(util::View(tensor), 0);
  return true;
}

bool require_plain(KernelRuntimeContext& ctx, const Tensor& tensor, ScalarType dtype) {
  return require(ctx, tensor.scalar_type() == dtype, "a tensor has another type than it must") &&
         require(ctx, is_contiguous(tensor), "a tensor must be contiguous");
}

bool require_activation(KernelRuntimeContext& ctx, const Tensor& tensor) {
  const ScalarType dtype = tensor.scalar_type();
  return require(
             ctx,
             dtype == ScalarType::Char || dtype == ScalarType::Byte || dtype == ScalarType::Short,
             "activations are Char, Byte or Short") &&
         require(ctx, is_contiguous(tensor), "a tensor must be contiguous");
}

}  // namespace impl::generic::native
