#include <executorch/backends/cadence/kernels/common.h>
#include <executorch/kernels/portable/cpu/internal/element.h>

namespace impl::generic::native {

namespace util = torch::executor::native::util;
using executorch::aten::Scalar;

namespace {

bool require_bytes(KernelRuntimeContext& ctx, const Tensor& tensor) {
  const ScalarType dtype = tensor.scalar_type();
  return require(ctx, dtype == ScalarType::Char || dtype == ScalarType::Byte,
                 "integers are Char or Byte") &&
         require_plain(ctx, tensor, dtype);
}

/// Steps in elements along the output's dimensions, 0 where the tensor is repeated.
void broadcast_strides(const Tensor& t, const Tensor& out, ptrdiff_t (&strides)[util::kMaxRank]) {
  ptrdiff_t step = 1;
  const ssize_t shift = out.dim() - t.dim();
  for (ssize_t d = out.dim() - 1; d >= 0; --d) {
    const ssize_t size = d < shift ? 1 : t.size(d - shift);
    strides[d] = size == 1 ? 0 : step;
    step *= static_cast<ptrdiff_t>(size);
  }
}

/// Calls `fn(x offset, y offset)` for each element of the output, in order.
template <typename Fn>
void for_each_pair(const Tensor& x, const Tensor& y, const Tensor& out, Fn&& fn) {
  ptrdiff_t x_strides[util::kMaxRank];
  ptrdiff_t y_strides[util::kMaxRank];
  broadcast_strides(x, out, x_strides);
  broadcast_strides(y, out, y_strides);
  ssize_t index[util::kMaxRank] = {};
  ptrdiff_t x_at = 0;
  ptrdiff_t y_at = 0;
  for (ssize_t i = 0; i < out.numel(); ++i) {
    fn(x_at, y_at);
    for (ssize_t d = out.dim() - 1; d >= 0; --d) {
      x_at += x_strides[d];
      y_at += y_strides[d];
      if (++index[d] < out.size(d)) {
        break;
      }
      x_at -= x_strides[d] * index[d];
      y_at -= y_strides[d] * index[d];
      index[d] = 0;
    }
  }
}

/// An operand: integers and what they stand for.
struct Operand {
  const Tensor& tensor;
  double scale;
  int64_t zero_point;
};

template <typename Fn>
void binary(KernelRuntimeContext& ctx, const Operand& x, const Operand& y, double out_scale,
            int64_t out_zero_point, Tensor& out, Fn&& fn) {
  const ScalarType dtype = x.tensor.scalar_type();
  Quant left;
  Quant right;
  Quant result;
  if (!require_bytes(ctx, x.tensor) || !require_plain(ctx, y.tensor, dtype) ||
      !require_plain(ctx, out, dtype) || !read_quant(ctx, dtype, x.scale, x.zero_point, left) ||
      !read_quant(ctx, dtype, y.scale, y.zero_point, right) ||
      !read_quant(ctx, dtype, out_scale, out_zero_point, result) ||
      !util::resize_broadcast(ctx, x.tensor, y.tensor, out)) {
    return;
  }
  with_activation(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* const a = x.tensor.const_data_ptr<T>();
    const T* const b = y.tensor.const_data_ptr<T>();
    T* to = out.mutable_data_ptr<T>();
    for_each_pair(x.tensor, y.tensor, out, [&](ptrdiff_t i, ptrdiff_t j) {
      const float value = fn(left.real(a[i]), right.real(b[j]));
      *to++ = to_integer<T>(value * result.inverse, result.zero_point);
    });
  });
}

/// The same with tensors for the scales and zero points of the operands.
template <typename Fn>
void binary(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& x_scale,
            const Tensor& x_zero_point, const Tensor& y, const Tensor& y_scale,
            const Tensor& y_zero_point, double out_scale, int64_t out_zero_point, Tensor& out,
            Fn&& fn) {
  double scales[2];
  int64_t zero_points[2];
  if (read_number(ctx, x_scale, scales[0]) && read_number(ctx, y_scale, scales[1]) &&
      read_integer(ctx, x_zero_point, zero_points[0]) &&
      read_integer(ctx, y_zero_point, zero_points[1])) {
    binary(ctx, {x, scales[0], zero_points[0]}, {y, scales[1], zero_points[1]}, out_scale,
           out_zero_point, out, fn);
  }
}

/// With a number for the second operand.
template <typename Fn>
void with_number(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& x_scale,
                 const Tensor& x_zero_point, const Scalar& y, double out_scale,
                 int64_t out_zero_point, Tensor& out, Fn&& fn) {
  const ScalarType dtype = x.scalar_type();
  double scale = 0;
  int64_t zero_point = 0;
  Quant left;
  Quant result;
  if (!require_activation(ctx, x) || !require_plain(ctx, out, dtype) ||
      !read_number(ctx, x_scale, scale) || !read_integer(ctx, x_zero_point, zero_point) ||
      !read_quant(ctx, dtype, scale, zero_point, left) ||
      !read_quant(ctx, dtype, out_scale, out_zero_point, result) || !resize_like(ctx, x, out)) {
    return;
  }
  const auto right = util::ScalarValue(y).as<float>();
  with_activation(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* const from = x.const_data_ptr<T>();
    T* const to = out.mutable_data_ptr<T>();
    for (ssize_t i = 0; i < out.numel(); ++i) {
      to[i] = to_integer<T>(fn(left.real(from[i]), right) * result.inverse, result.zero_point);
    }
  });
}

float add(float a, float b) { return a + b; }
float multiply(float a, float b) { return a * b; }

}  // namespace

Tensor& quantized_add_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& x, double x_scale,
                                     int64_t x_zero_point, const Tensor& y, double y_scale,
                                     int64_t y_zero_point, double out_scale, int64_t out_zero_point,
                                     Tensor& out) {
  binary(ctx, {x, x_scale, x_zero_point}, {y, y_scale, y_zero_point}, out_scale, out_zero_point,
         out, add);
  return out;
}

Tensor& quantized_add_out(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& x_scale,
                          const Tensor& x_zero_point, const Tensor& y, const Tensor& y_scale,
                          const Tensor& y_zero_point, double out_scale, int64_t out_zero_point,
                          Tensor& out) {
  binary(ctx, x, x_scale, x_zero_point, y, y_scale, y_zero_point, out_scale, out_zero_point, out,
         add);
  return out;
}

Tensor& quantized_mul_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& x, double x_scale,
                                     int64_t x_zero_point, const Tensor& y, double y_scale,
                                     int64_t y_zero_point, double out_scale, int64_t out_zero_point,
                                     Tensor& out) {
  binary(ctx, {x, x_scale, x_zero_point}, {y, y_scale, y_zero_point}, out_scale, out_zero_point,
         out, multiply);
  return out;
}

Tensor& quantized_mul_out(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& x_scale,
                          const Tensor& x_zero_point, const Tensor& y, const Tensor& y_scale,
                          const Tensor& y_zero_point, double out_scale, int64_t out_zero_point,
                          Tensor& out) {
  binary(ctx, x, x_scale, x_zero_point, y, y_scale, y_zero_point, out_scale, out_zero_point, out,
         multiply);
  return out;
}

Tensor& quantized_add_scalar_out(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& x_scale,
                                 const Tensor& x_zero_point, const Scalar& y, double out_scale,
                                 int64_t out_zero_point, Tensor& out) {
  with_number(ctx, x, x_scale, x_zero_point, y, out_scale, out_zero_point, out, add);
  return out;
}

Tensor& quantized_mul_scalar_out(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& x_scale,
                                 const Tensor& x_zero_point, const Scalar& y, double out_scale,
                                 int64_t out_zero_point, Tensor& out) {
  with_number(ctx, x, x_scale, x_zero_point, y, out_scale, out_zero_point, out, multiply);
  return out;
}

Tensor& quantized_relu_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& x,
                                      int64_t x_zero_point, int64_t out_zero_point,
                                      int64_t out_multiplier, int64_t out_shift, Tensor& out) {
  int32_t zero = 0;
  int32_t out_zero = 0;
  float factor = 0;
  if (!require_activation(ctx, x) || !require_plain(ctx, out, x.scalar_type()) ||
      !read_zero_point(ctx, x.scalar_type(), x_zero_point, zero) ||
      !read_zero_point(ctx, x.scalar_type(), out_zero_point, out_zero) ||
      !read_factor(ctx, out_multiplier, out_shift, factor) || !resize_like(ctx, x, out)) {
    return out;
  }
  with_activation(x.scalar_type(), [&](auto none) {
    using T = decltype(none);
    const T* const from = x.const_data_ptr<T>();
    T* const to = out.mutable_data_ptr<T>();
    for (ssize_t i = 0; i < out.numel(); ++i) {
      const int32_t above = from[i] > zero ? from[i] - zero : 0;
      to[i] = to_integer<T>(static_cast<float>(above) * factor, out_zero);
    }
  });
  return out;
}

Tensor& quantized_relu_out(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& x_zero_point,
                           int64_t out_zero_point, const Tensor& out_multiplier,
                           const Tensor& out_shift, Tensor& out) {
  int64_t numbers[3];
  if (!read_integer(ctx, x_zero_point, numbers[0]) ||
      !read_integer(ctx, out_multiplier, numbers[1]) || !read_integer(ctx, out_shift, numbers[2])) {
    return out;
  }
  return quantized_relu_per_tensor_out(ctx, x, numbers[0], out_zero_point, numbers[1], numbers[2],
                                       out);
}

Tensor& where_scalar_out(KernelRuntimeContext& ctx, const Tensor& condition, double self,
                         double other, Tensor& out) {
  if (!require_plain(ctx, condition, ScalarType::Bool) ||
      !require_plain(ctx, out, ScalarType::Float) || !resize_like(ctx, condition, out)) {
    return out;
  }
  const bool* const from = condition.const_data_ptr<bool>();
  float* const to = out.mutable_data_ptr<float>();
  for (ssize_t i = 0; i < out.numel(); ++i) {
    to[i] = static_cast<float>(from[i] ? self : other);
  }
  return out;
}

Tensor& sdpa_bitwise_mask_gen_out(KernelRuntimeContext& ctx, const Tensor& mask, double threshold,
                                  Tensor& out) {
  const ssize_t last = mask.dim() - 1;
  if (!require_plain(ctx, mask, ScalarType::Float) || !require_plain(ctx, out, ScalarType::Byte) ||
      !require(ctx, last >= 0 && mask.size(last) % 8 == 0,
               "the mask's last dimension is a multiple of 8")) {
    return out;
  }
  Shape shape(mask);
  shape.sizes[last] /= 8;
  if (!resize(ctx, shape, out)) {
    return out;
  }
  const float* from = mask.const_data_ptr<float>();
  uint8_t* const to = out.mutable_data_ptr<uint8_t>();
  for (ssize_t i = 0; i < out.numel(); ++i) {
    unsigned byte = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      byte |= static_cast<unsigned>(*from++ < static_cast<float>(threshold)) << bit;
    }
    to[i] = static_cast<uint8_t>(byte);
  }
  return out;
}

}  // namespace impl::generic::native
