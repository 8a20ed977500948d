#include <executorch/backends/cadence/kernels/products.h>
#include <executorch/backends/cadence/kernels/windows.h>

namespace impl::generic::native {

namespace {

/// The input that tap `i` of output `at` reads; -1 for none.
int64_t input_of(const Axis& axis, int64_t at, int64_t i) {
  const int64_t spread = at + axis.padding - (axis.taps - 1 - i) * axis.dilation;
  const bool there = spread >= 0 && spread % axis.stride == 0 && spread / axis.stride < axis.in;
  return there ? spread / axis.stride : -1;
}

struct Transposed {
  Windows windows;
  size_t groups = 1;
  size_t inputs = 0;   // of one group
  size_t outputs = 0;  // of one group
  ptrdiff_t weight_output = 0;
  ptrdiff_t weight_input = 0;
};

/// Of weights [outputs / groups, inputs, taps...], channels last [outputs / groups, taps...,
/// inputs].
bool read(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight, const Lists& lists,
          IntArrayRef output_padding, int64_t groups, bool channels_last, Transposed& conv) {
  const ssize_t rank = input.dim();
  if (!require(ctx, (rank == 3 || rank == 4) && weight.dim() == rank,
               "images and weights have three or four dimensions")) {
    return false;
  }
  const Images in(input, channels_last);
  const Images taps(weight, channels_last);
  if (!require(ctx,
               groups > 0 && static_cast<size_t>(groups) <= in.channels &&
                   in.channels % static_cast<size_t>(groups) == 0,
               "channels do not fall into groups") ||
      !require(ctx, taps.channels == in.channels, "the weights have other inputs")) {
    return false;
  }
  conv.groups = static_cast<size_t>(groups);
  conv.inputs = in.channels / conv.groups;
  conv.outputs = taps.batch;
  conv.weight_output = taps.batch_stride;
  conv.weight_input = taps.channel_stride;
  const auto count = static_cast<size_t>(rank - 2);
  for (size_t d = 0; d < count; ++d) {
    const size_t at = 2 - count + d;
    Axis& axis = conv.windows.axis[at];
    axis.in = in.size[at];
    axis.taps = taps.size[at];
    axis.in_stride = in.stride[at];
    axis.tap_stride = taps.stride[at];
    int64_t one[4];
    if (!read_entry(ctx, lists.stride, d, count, one[0]) ||
        !read_entry(ctx, lists.padding, d, count, one[1]) ||
        !read_entry(ctx, lists.dilation, d, count, one[2]) ||
        !read_entry(ctx, output_padding, d, count, one[3]) ||
        !read_transposed(ctx, axis, one[0], one[1], one[2], one[3])) {
      return false;
    }
  }
  return true;
}

/// The numbers of `read`, and an output of their shape.
bool prepare(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
             const Tensor& bias, const Lists& lists, IntArrayRef output_padding, int64_t groups,
             bool channels_last, Tensor& out, Transposed& conv) {
  if (!read(ctx, input, weight, lists, output_padding, groups, channels_last, conv)) {
    return false;
  }
  const size_t outputs = conv.outputs * conv.groups;
  const Shape shape = shape_of_images(static_cast<size_t>(input.dim()), input.size(0),
                                      static_cast<int64_t>(outputs), conv.windows.axis[0].out,
                                      conv.windows.axis[1].out, channels_last);
  return require(ctx, static_cast<size_t>(bias.numel()) == outputs, "one bias for each output") &&
         resize(ctx, shape, out);
}

/// Sums of products of real numbers.
struct RealProducts {
  float operator()(const float* x, ptrdiff_t x_stride, const float* weight, ptrdiff_t weight_stride,
                   size_t n) const {
    float sum = 0;
    for (size_t i = 0; i < n; ++i, x += x_stride, weight += weight_stride) {
      sum += *x * *weight;
    }
    return sum;
  }
};

/// Of integers.
struct IntegerProducts {
  ZeroPoints zero;

  template <typename T, typename W>
  int64_t operator()(const T* x, ptrdiff_t x_stride, const W* weight, ptrdiff_t weight_stride,
                     size_t n) const {
    return sum_of_products(zero, x, x_stride, weight, weight_stride, n);
  }
};

template <typename Products, typename T, typename W>
auto sum_taps(const Transposed& conv, const Products& products, const T* x,
              ptrdiff_t channel_stride, const W* weight, int64_t row, int64_t column) {
  const Axis& rows = conv.windows.axis[0];
  const Axis& columns = conv.windows.axis[1];
  decltype(products(x, channel_stride, weight, conv.weight_input, conv.inputs)) sum = 0;
  for (int64_t i = 0; i < rows.taps; ++i) {
    const int64_t y = input_of(rows, row, i);
    for (int64_t j = 0; y >= 0 && j < columns.taps; ++j) {
      const int64_t at = input_of(columns, column, j);
      if (at >= 0) {
        sum += products(x + y * rows.in_stride + at * columns.in_stride, channel_stride,
                        weight + i * rows.tap_stride + j * columns.tap_stride, conv.weight_input,
                        conv.inputs);
      }
    }
  }
  return sum;
}

/// Writes `finish(sum, output)` for every place of every output.
template <typename Products, typename T, typename W, typename Finish>
void convolve(const Transposed& conv, const Products& products, const Images& from, const T* input,
              const W* weight, const Images& to, T* output, const Finish& finish) {
  for (size_t n = 0; n < from.batch; ++n) {
    for (size_t o = 0; o < to.channels; ++o) {
      const size_t group = o / conv.outputs;
      const auto first = static_cast<ptrdiff_t>(group * conv.inputs);
      const T* const x =
          input + static_cast<ptrdiff_t>(n) * from.batch_stride + first * from.channel_stride;
      const W* const w = weight + static_cast<ptrdiff_t>(o % conv.outputs) * conv.weight_output +
                         first * conv.weight_input;
      T* const y = output + static_cast<ptrdiff_t>(n) * to.batch_stride +
                   static_cast<ptrdiff_t>(o) * to.channel_stride;
      for (int64_t row = 0; row < to.size[0]; ++row) {
        for (int64_t column = 0; column < to.size[1]; ++column) {
          y[row * to.stride[0] + column * to.stride[1]] =
              finish(sum_taps(conv, products, x, from.channel_stride, w, row, column), o);
        }
      }
    }
  }
}

}  // namespace

Tensor& transposed_convolution_out(KernelRuntimeContext& ctx, const Tensor& input,
                                   const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                                   IntArrayRef padding, IntArrayRef dilation,
                                   IntArrayRef output_padding, int64_t groups, bool channel_last,
                                   Tensor& out) {
  Transposed conv;
  if (!require_plain(ctx, input, ScalarType::Float) ||
      !require_plain(ctx, weight, ScalarType::Float) ||
      !require_plain(ctx, bias, ScalarType::Float) || !require_plain(ctx, out, ScalarType::Float) ||
      !prepare(ctx, input, weight, bias, {stride, padding, dilation}, output_padding, groups,
               channel_last, out, conv)) {
    return out;
  }
  const float* const offset = bias.const_data_ptr<float>();
  convolve(conv, RealProducts(), Images(input, channel_last), input.const_data_ptr<float>(),
           weight.const_data_ptr<float>(), Images(out, channel_last), out.mutable_data_ptr<float>(),
           [&](float sum, size_t o) { return sum + offset[o]; });
  return out;
}

Tensor& quantized_transposed_conv_out(KernelRuntimeContext& ctx, const Tensor& input,
                                      const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                                      IntArrayRef padding, IntArrayRef dilation,
                                      IntArrayRef output_padding, int64_t groups,
                                      int64_t input_zero_point, const Tensor& weight_zero_point,
                                      const Tensor& bias_scale, double out_scale,
                                      int64_t out_zero_point, const Tensor&, const Tensor&,
                                      bool channel_last, Tensor& out) {
  int64_t weight_zero = 0;
  double scale = 0;
  Scaling scaling;
  Transposed conv;
  if (!read_integer(ctx, weight_zero_point, weight_zero) || !read_number(ctx, bias_scale, scale) ||
      !read_scaling(
          ctx,
          {input, weight, bias, input_zero_point, weight_zero, scale, out_scale, out_zero_point},
          out, scaling) ||
      !prepare(ctx, input, weight, bias, {stride, padding, dilation}, output_padding, groups,
               channel_last, out, conv)) {
    return out;
  }
  const int32_t* const offset = bias.const_data_ptr<int32_t>();
  with_activation(input.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    convolve(conv, IntegerProducts{scaling.zero}, Images(input, channel_last),
             input.const_data_ptr<T>(), weight.const_data_ptr<weight_of<T>>(),
             Images(out, channel_last), out.mutable_data_ptr<T>(),
             [&](int64_t sum, size_t o) { return scaling.integer<T>(sum + offset[o]); });
  });
  return out;
}

}  // namespace impl::generic::native
