#include <executorch/backends/cadence/kernels/common.h>

namespace impl::generic::native {

namespace {

/// Mean and variance of a row of real values.
struct Moments {
  double mean = 0;
  double variance = 0;
};

template <typename T>
Moments moments_of(const T* row, size_t n, const Quant& quant) {
  Moments made;
  for (size_t i = 0; i < n; ++i) {
    made.mean += quant.real(row[i]);
  }
  made.mean /= static_cast<double>(n);
  for (size_t i = 0; i < n; ++i) {
    const double distance = quant.real(row[i]) - made.mean;
    made.variance += distance * distance;
  }
  made.variance /= static_cast<double>(n);
  return made;
}

/// Requires that the last dimensions have the sizes. @returns the elements of one row, or 0.
size_t row_of(KernelRuntimeContext& ctx, const Tensor& x, IntArrayRef sizes) {
  const auto rank = static_cast<size_t>(x.dim());
  bool fits = sizes.size() >= 1 && sizes.size() <= rank;
  size_t n = 1;
  for (size_t i = 0; fits && i < sizes.size(); ++i) {
    const ssize_t size = x.size(static_cast<ssize_t>(rank - sizes.size() + i));
    fits = size > 0 && sizes[i] == size;
    n *= static_cast<size_t>(size);
  }
  return require(ctx, fits, "normalized_shape must be the input's last sizes") ? n : 0;
}

}  // namespace

Tensor& quantized_layer_norm_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& x,
                                            double x_scale, int64_t x_zero_point,
                                            IntArrayRef normalized_shape, const Tensor& weight,
                                            const Tensor& bias, double eps, double output_scale,
                                            int64_t output_zero_point, Tensor& out) {
  Quant quant;
  Quant result;
  const ScalarType dtype = x.scalar_type();
  if (!require_activation(ctx, x) || !require_plain(ctx, out, dtype) ||
      !require_plain(ctx, weight, ScalarType::Float) ||
      !require_plain(ctx, bias, ScalarType::Float) ||
      !read_quant(ctx, dtype, x_scale, x_zero_point, quant) ||
      !read_quant(ctx, dtype, output_scale, output_zero_point, result)) {
    return out;
  }
  const size_t n = row_of(ctx, x, normalized_shape);
  if (n == 0 ||
      !require(ctx,
               static_cast<size_t>(weight.numel()) == n && static_cast<size_t>(bias.numel()) == n,
               "weight and bias have one value for each of a row") ||
      !resize_like(ctx, x, out)) {
    return out;
  }
  const float* const gain = weight.const_data_ptr<float>();
  const float* const offset = bias.const_data_ptr<float>();
  with_activation(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* row = x.const_data_ptr<T>();
    T* to = out.mutable_data_ptr<T>();
    const size_t rows = static_cast<size_t>(x.numel()) / n;
    for (size_t r = 0; r < rows; ++r, row += n) {
      const Moments moments = moments_of(row, n, quant);
      const double inverse = 1 / std::sqrt(moments.variance + eps);
      for (size_t i = 0; i < n; ++i) {
        const double normed = (quant.real(row[i]) - moments.mean) * inverse;
        const auto value = static_cast<float>(normed * gain[i] + offset[i]);
        *to++ = to_integer<T>(value * result.inverse, result.zero_point);
      }
    }
  });
  return out;
}

Tensor& quantized_layer_norm_out(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& x_scale,
                                 const Tensor& x_zero_point, IntArrayRef normalized_shape,
                                 const Tensor& weight, const Tensor& bias, double eps,
                                 double output_scale, int64_t output_zero_point, Tensor& out) {
  double scale = 0;
  int64_t zero_point = 0;
  if (!read_number(ctx, x_scale, scale) || !read_integer(ctx, x_zero_point, zero_point)) {
    return out;
  }
  return quantized_layer_norm_per_tensor_out(ctx, x, scale, zero_point, normalized_shape, weight,
                                             bias, eps, output_scale, output_zero_point, out);
}

Tensor& quantized_softmax_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input,
                                         const Tensor&, int64_t dim, int64_t mask_type,
                                         const Tensor&, double in_scale, int64_t in_zero_point,
                                         double out_scale, int64_t out_zero_point, Tensor& out) {
  Quant quant;
  Quant result;
  const ScalarType dtype = input.scalar_type();
  if (!require_activation(ctx, input) || !require_plain(ctx, out, dtype) ||
      !require(ctx, mask_type == 0, "only a softmax without a mask is calculated") ||
      !wrap_dim(ctx, dim, static_cast<size_t>(input.dim())) ||
      !read_quant(ctx, dtype, in_scale, in_zero_point, quant) ||
      !read_quant(ctx, dtype, out_scale, out_zero_point, result) || !resize_like(ctx, input, out)) {
    return out;
  }
  using torch::executor::native::util::product;
  const size_t n = input.dim() == 0 ? 1 : static_cast<size_t>(input.size(dim));
  const size_t step = input.dim() == 0 ? 1
                                       : product(input, static_cast<size_t>(dim) + 1,
                                                 static_cast<size_t>(input.dim()));
  with_activation(dtype, [&](auto zero) {
    using T = decltype(zero);
    const size_t lines = n == 0 ? 0 : static_cast<size_t>(input.numel()) / n;
    for (size_t line = 0; line < lines; ++line) {
      const size_t at = line / step * step * n + line % step;
      const T* const from = input.const_data_ptr<T>() + at;
      T* const to = out.mutable_data_ptr<T>() + at;
      T highest = from[0];
      for (size_t i = 1; i < n; ++i) {
        highest = from[i * step] > highest ? from[i * step] : highest;
      }
      const float top = quant.real(highest);
      float sum = 0;
      for (size_t i = 0; i < n; ++i) {
        sum += std::exp(quant.real(from[i * step]) - top);
      }
      for (size_t i = 0; i < n; ++i) {
        const float value = std::exp(quant.real(from[i * step]) - top) / sum;
        to[i * step] = to_integer<T>(value * result.inverse, result.zero_point);
      }
    }
  });
  return out;
}

Tensor& quantized_softmax_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& mask,
                              int64_t dim, int64_t mask_type, const Tensor& pos,
                              const Tensor& in_scale, const Tensor& in_zero_point,
                              const Tensor& out_scale, const Tensor& out_zero_point, Tensor& out) {
  double scales[2];
  int64_t zero_points[2];
  if (!read_number(ctx, in_scale, scales[0]) || !read_number(ctx, out_scale, scales[1]) ||
      !read_integer(ctx, in_zero_point, zero_points[0]) ||
      !read_integer(ctx, out_zero_point, zero_points[1])) {
    return out;
  }
  return quantized_softmax_per_tensor_out(ctx, input, mask, dim, mask_type, pos, scales[0],
                                          zero_points[0], scales[1], zero_points[1], out);
}

}  // namespace impl::generic::native
