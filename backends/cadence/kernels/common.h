/**
 * @file
 * What the kernels read and check, and how real values become integers: rounded half to even,
 * between the limits of the type.
 */
#pragma once

#include <cmath>
#include <limits>

#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace impl::generic::native {

using executorch::aten::ArrayRef;
using executorch::aten::IntArrayRef;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::runtime::KernelRuntimeContext;
using torch::executor::native::util::is_contiguous;
using torch::executor::native::util::require;
using torch::executor::native::util::resize;
using torch::executor::native::util::resize_like;
using torch::executor::native::util::same_shape;
using torch::executor::native::util::Shape;
using torch::executor::native::util::wrap_dim;
template <typename T>
using optional = std::optional<T>;

/// How integers stand for real values: (q - zero_point) * scale.
struct Quant {
  float scale = 1;
  float inverse = 1;
  int32_t zero_point = 0;

  template <typename T>
  float real(T q) const {
    return static_cast<float>(static_cast<int64_t>(q) - zero_point) * scale;
  }
};

/// Requires a scale above zero, and a zero point that the type of the integers holds.
bool read_quant(KernelRuntimeContext& ctx, ScalarType dtype, double scale, int64_t zero_point,
                Quant& quant);

/// Requires a zero point that the type holds.
bool read_zero_point(KernelRuntimeContext& ctx, ScalarType dtype, int64_t zero_point,
                     int32_t& value);

/// Requires numbers that `multiplier * 2 ** (shift - 31)` can be calculated of, above zero.
bool read_factor(KernelRuntimeContext& ctx, int64_t multiplier, int64_t shift, float& factor);

/// Requires a tensor of one value.
bool read_number(KernelRuntimeContext& ctx, const Tensor& tensor, double& value);
bool read_integer(KernelRuntimeContext& ctx, const Tensor& tensor, int64_t& value);

/// Requires that a tensor has the type and its elements the order of its dimensions.
bool require_plain(KernelRuntimeContext& ctx, const Tensor& tensor, ScalarType dtype);

/// Requires one of the types that quantized activations have: Char, Byte or Short.
bool require_activation(KernelRuntimeContext& ctx, const Tensor& tensor);

/// The integer for a value in units of the scale. What is no number becomes the smallest one.
template <typename T>
T to_integer(float value, int32_t zero_point) {
  constexpr double kLow = std::numeric_limits<T>::min();
  constexpr double kHigh = std::numeric_limits<T>::max();
  double rounded = static_cast<double>(std::nearbyint(value)) + zero_point;
  rounded = rounded > kLow ? rounded : kLow;
  return static_cast<T>(rounded < kHigh ? rounded : kHigh);
}

/// Calls `fn` with a zero of the type of quantized activations.
template <typename Fn>
void with_activation(ScalarType dtype, Fn&& fn) {
  switch (dtype) {
    case ScalarType::Char:
      return fn(int8_t{0});
    case ScalarType::Byte:
      return fn(uint8_t{0});
    default:
      return fn(int16_t{0});
  }
}

}  // namespace impl::generic::native
