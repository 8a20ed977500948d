#include <executorch/backends/cadence/kernels/common.h>

namespace impl::generic::native {

namespace {

/// Calls `fn` with a zero of any type that integers have.
template <typename Fn>
bool with_integer(KernelRuntimeContext& ctx, ScalarType dtype, Fn&& fn) {
  switch (dtype) {
    case ScalarType::Char:
      fn(int8_t{0});
      return true;
    case ScalarType::Byte:
      fn(uint8_t{0});
      return true;
    case ScalarType::Short:
      fn(int16_t{0});
      return true;
    case ScalarType::UInt16:
      fn(uint16_t{0});
      return true;
    case ScalarType::Int:
      fn(int32_t{0});
      return true;
    default:
      return require(ctx, false, "integers are Char, Byte, Short, UInt16 or Int");
  }
}

}  // namespace

Tensor& quantize_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input, double scale,
                                int64_t zero_point, int64_t quant_min, int64_t quant_max,
                                ScalarType dtype, Tensor& out) {
  Quant quant;
  int32_t low = 0;
  int32_t high = 0;
  if (!require_plain(ctx, input, ScalarType::Float) || !require_plain(ctx, out, dtype) ||
      !read_quant(ctx, ScalarType::Int, scale, zero_point, quant) ||
      !read_zero_point(ctx, dtype, quant_min, low) ||
      !read_zero_point(ctx, dtype, quant_max, high) ||
      !require(ctx, low <= high, "the limits are the wrong way round") ||
      !resize_like(ctx, input, out)) {
    return out;
  }
  const float* const from = input.const_data_ptr<float>();
  with_integer(ctx, dtype, [&](auto zero) {
    using T = decltype(zero);
    T* const to = out.mutable_data_ptr<T>();
    for (ssize_t i = 0; i < out.numel(); ++i) {
      double rounded =
          static_cast<double>(std::nearbyint(from[i] * quant.inverse)) + quant.zero_point;
      rounded = rounded > low ? rounded : low;
      to[i] = static_cast<T>(rounded < high ? rounded : high);
    }
  });
  return out;
}

Tensor& dequantize_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input, double scale,
                                  int64_t zero_point, int64_t, int64_t, ScalarType dtype,
                                  Tensor& out) {
  Quant quant;
  if (!require_plain(ctx, input, dtype) || !require_plain(ctx, out, ScalarType::Float) ||
      !read_quant(ctx, ScalarType::Int, scale, zero_point, quant) ||
      !resize_like(ctx, input, out)) {
    return out;
  }
  float* const to = out.mutable_data_ptr<float>();
  with_integer(ctx, dtype, [&](auto zero) {
    const auto* const from = input.const_data_ptr<decltype(zero)>();
    for (ssize_t i = 0; i < out.numel(); ++i) {
      to[i] = quant.real(from[i]);
    }
  });
  return out;
}

Tensor& dequantize_out(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& x_scale,
                       const Tensor& x_zero_point, Tensor& out) {
  double scale = 0;
  int64_t zero_point = 0;
  if (!read_number(ctx, x_scale, scale) || !read_integer(ctx, x_zero_point, zero_point)) {
    return out;
  }
  return dequantize_per_tensor_out(ctx, x, scale, zero_point, 0, 0, x.scalar_type(), out);
}

Tensor& requantize_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input, double in_scale,
                                  int64_t in_zero_point, double out_scale, int64_t out_zero_point,
                                  ScalarType out_dtype, Tensor& out) {
  Quant before;
  Quant behind;
  if (!require_plain(ctx, input, input.scalar_type()) || !require_plain(ctx, out, out_dtype) ||
      !read_quant(ctx, input.scalar_type(), in_scale, in_zero_point, before) ||
      !read_quant(ctx, out_dtype, out_scale, out_zero_point, behind) ||
      !resize_like(ctx, input, out)) {
    return out;
  }
  with_integer(ctx, input.scalar_type(), [&](auto from_zero) {
    const auto* const from = input.const_data_ptr<decltype(from_zero)>();
    with_integer(ctx, out_dtype, [&](auto to_zero) {
      using T = decltype(to_zero);
      T* const to = out.mutable_data_ptr<T>();
      for (ssize_t i = 0; i < out.numel(); ++i) {
        to[i] = to_integer<T>(before.real(from[i]) * behind.inverse, behind.zero_point);
      }
    });
  });
  return out;
}

Tensor& requantize_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& in_scale,
                       const Tensor& in_zero_point, const Tensor& out_scale,
                       const Tensor& out_zero_point, ScalarType out_dtype, Tensor& out) {
  double scales[2];
  int64_t zero_points[2];
  if (!read_number(ctx, in_scale, scales[0]) || !read_number(ctx, out_scale, scales[1]) ||
      !read_integer(ctx, in_zero_point, zero_points[0]) ||
      !read_integer(ctx, out_zero_point, zero_points[1])) {
    return out;
  }
  return requantize_per_tensor_out(ctx, input, scales[0], zero_points[0], scales[1], zero_points[1],
                                   out_dtype, out);
}

}  // namespace impl::generic::native
