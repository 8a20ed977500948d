/**
 * @file
 * Affine quantization of tensors: q = clamp(round(x / scale) + zero_point, min, max) and
 * x = (q - zero_point) * scale, with one scale for a tensor, a channel, a row or a group of a row.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// The scales and zero points of a tensor.
struct QuantParameters {
  /// One element for each channel; one for all if `channels` is 1.
  View scales;
  /// As the scales; absent if its data are null, then 0.
  View zero_points;
  size_t channels = 1;
  /// Neighbours in memory that share a channel; the next ones have the next channel.
  size_t run = 1;
  /// For all elements if `scales` and `zero_points` have no data.
  double scale = 1;
  int64_t zero_point = 0;

  double scale_of(size_t channel) const {
    return scales.data == nullptr ? scale
                                  : get_element<double>(scales, static_cast<ptrdiff_t>(channel));
  }
  int64_t zero_point_of(size_t channel) const {
    return zero_points.data == nullptr
               ? zero_point
               : get_element<int64_t>(zero_points, static_cast<ptrdiff_t>(channel));
  }
};

/// Requires a quantized dtype that holds [min, max], and that `t` has it.
bool require_quantized(KernelRuntimeContext& ctx, const Tensor& t, ScalarType dtype, int64_t min,
                       int64_t max);

/// Parameters for a whole tensor.
QuantParameters whole_tensor(double scale, int64_t zero_point);

/**
 * Parameters with an element for each index of dimension `axis` of `t`.
 * @param zero_points May be null.
 * @returns false after failing the kernel.
 */
bool per_channel(KernelRuntimeContext& ctx, const Tensor& t, const Tensor& scales,
                 const Tensor* zero_points, int64_t axis, QuantParameters& parameters);

/// Parameters with an element for each group of `group` neighbours of each row of `t`.
bool per_group(KernelRuntimeContext& ctx, const Tensor& t, const Tensor& scales,
               const Tensor* zero_points, int64_t group, QuantParameters& parameters);

/// Quantizes `in` to `out`, which has its shape and memory order.
void quantize(const Tensor& in, const QuantParameters& parameters, int64_t min, int64_t max,
              Tensor& out);

/// Dequantizes `in` to `out`, which has its shape and memory order.
void dequantize(const Tensor& in, const QuantParameters& parameters, Tensor& out);

/**
 * Writes round(clamp(x[i] * inverse, low, high)) + zero_point, ties to even, from `to` on. Uses the
 * memory of `x`.
 */
void quantize_floats(ScalarType dtype, float* x, size_t n, float inverse, float zero_point,
                     float low, float high, char* to);

/// Loads `n` quantized elements from `from` on as (q - zero_point) * scale.
void load_dequantized(ScalarType dtype, const char* from, size_t n, float scale, float zero_point,
                      float* to);

}  // namespace torch::executor::native::util
