#include <executorch/backends/cadence/kernels/products.h>

namespace impl::generic::native {

namespace {

/// Rows of activations times columns of weights.
struct Layer {
  size_t depth = 0;
  size_t columns = 0;
  ZeroPoints zero = {0, 0};
  float factor = 0;
  int32_t out_zero_point = 0;
  /// In elements: from column to column, and within one.
  ptrdiff_t column_step = 0;
  ptrdiff_t column_stride = 1;
};

template <typename T, typename W>
void multiply(const Layer& layer, const T* x, size_t rows, const W* weight, const int32_t* bias,
              T* to) {
  for (size_t r = 0; r < rows; ++r, x += layer.depth) {
    const W* column = weight;
    for (size_t c = 0; c < layer.columns; ++c, column += layer.column_step) {
      const int64_t sum =
          sum_of_products(layer.zero, x, 1, column, layer.column_stride, layer.depth) +
          (bias == nullptr ? 0 : bias[c]);
      *to++ = to_integer<T>(static_cast<float>(sum) * layer.factor, layer.out_zero_point);
    }
  }
}

bool check_types(KernelRuntimeContext& ctx, const Tensor& x, const Tensor& weight,
                 const Tensor& out) {
  return require_activation(ctx, x) && require_plain(ctx, weight, weight_type(x.scalar_type())) &&
         require_plain(ctx, out, x.scalar_type());
}

bool is_zero(const Tensor& bias) {
  const auto* const bytes = static_cast<const uint8_t*>(bias.const_data_ptr());
  for (size_t i = 0; i < bias.nbytes(); ++i) {
    if (bytes[i] != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

Tensor& quantized_linear_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& src,
                                        const Tensor& weight, const Tensor& bias,
                                        int64_t src_zero_point, int64_t weight_zero_point,
                                        int64_t out_multiplier, int64_t out_shift,
                                        int64_t out_zero_point, const optional<Tensor>&,
                                        Tensor& out) {
  Layer layer;
  if (!check_types(ctx, src, weight, out) || !require_plain(ctx, bias, ScalarType::Int) ||
      !require(ctx,
               src.dim() >= 1 && weight.dim() == 2 && src.size(src.dim() - 1) == weight.size(1),
               "linear needs an [..., k] and an [n, k] tensor") ||
      !require(ctx, bias.numel() == weight.size(0), "one bias for each output") ||
      !read_zero_point(ctx, src.scalar_type(), src_zero_point, layer.zero.x) ||
      !read_zero_point(ctx, weight.scalar_type(), weight_zero_point, layer.zero.weight) ||
      !read_zero_point(ctx, src.scalar_type(), out_zero_point, layer.out_zero_point) ||
      !read_factor(ctx, out_multiplier, out_shift, layer.factor)) {
    return out;
  }
  Shape shape(src);
  shape.sizes[shape.rank - 1] = static_cast<SizesType>(weight.size(0));
  if (!resize(ctx, shape, out) || out.numel() == 0) {
    return out;
  }
  layer.depth = static_cast<size_t>(weight.size(1));
  layer.columns = static_cast<size_t>(weight.size(0));
  layer.column_step = static_cast<ptrdiff_t>(layer.depth);
  with_activation(src.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    multiply(layer, src.const_data_ptr<T>(), static_cast<size_t>(out.numel()) / layer.columns,
             weight.const_data_ptr<weight_of<T>>(), bias.const_data_ptr<int32_t>(),
             out.mutable_data_ptr<T>());
  });
  return out;
}

Tensor& quantized_linear_out(KernelRuntimeContext& ctx, const Tensor& src, const Tensor& weight,
                             const Tensor& bias, int64_t src_zero_point,
                             const Tensor& weight_zero_point, const Tensor& out_multiplier,
                             const Tensor& out_shift, int64_t out_zero_point,
                             const optional<Tensor>& offset, Tensor& out) {
  int64_t numbers[3];
  if (!read_integer(ctx, weight_zero_point, numbers[0]) ||
      !read_integer(ctx, out_multiplier, numbers[1]) || !read_integer(ctx, out_shift, numbers[2])) {
    return out;
  }
  return quantized_linear_per_tensor_out(ctx, src, weight, bias, src_zero_point, numbers[0],
                                         numbers[1], numbers[2], out_zero_point, offset, out);
}

Tensor& quantized_matmul_out(KernelRuntimeContext& ctx, const Tensor& x, int64_t x_zero_point,
                             const Tensor& y, int64_t y_zero_point, const optional<Tensor>& bias,
                             int64_t out_multiplier, int64_t out_shift, int64_t out_zero_point,
                             bool transposed, Tensor& out) {
  Layer layer;
  if (!require_activation(ctx, x) || !require_plain(ctx, y, x.scalar_type()) ||
      !require_plain(ctx, out, x.scalar_type()) ||
      !require(ctx, x.dim() >= 2 && y.dim() == x.dim(), "products are of matrices, or batches") ||
      !require(ctx, !bias.has_value() || is_zero(*bias), "there is no bias but zeros") ||
      !read_zero_point(ctx, x.scalar_type(), x_zero_point, layer.zero.x) ||
      !read_zero_point(ctx, x.scalar_type(), y_zero_point, layer.zero.weight) ||
      !read_zero_point(ctx, x.scalar_type(), out_zero_point, layer.out_zero_point) ||
      !read_factor(ctx, out_multiplier, out_shift, layer.factor)) {
    return out;
  }
  const ssize_t last = x.dim() - 1;
  Shape shape(x);
  shape.sizes[last] = static_cast<SizesType>(y.size(transposed ? last - 1 : last));
  bool fits = y.size(transposed ? last : last - 1) == x.size(last);
  size_t batch = 1;
  for (ssize_t d = 0; d < last - 1; ++d) {
    fits = fits && x.size(d) == y.size(d);
    batch *= static_cast<size_t>(x.size(d));
  }
  if (!require(ctx, fits, "the matrices do not fit") || !resize(ctx, shape, out) ||
      out.numel() == 0) {
    return out;
  }
  layer.depth = static_cast<size_t>(x.size(last));
  layer.columns = static_cast<size_t>(out.size(last));
  const size_t rows = static_cast<size_t>(x.size(last - 1));
  layer.column_step = transposed ? static_cast<ptrdiff_t>(layer.depth) : 1;
  layer.column_stride = transposed ? 1 : static_cast<ptrdiff_t>(layer.columns);
  with_activation(x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for (size_t b = 0; b < batch; ++b) {
      multiply(layer, x.const_data_ptr<T>() + b * rows * layer.depth, rows,
               y.const_data_ptr<T>() + b * layer.depth * layer.columns, nullptr,
               out.mutable_data_ptr<T>() + b * rows * layer.columns);
    }
  });
  return out;
}

}  // namespace impl::generic::native
