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

float sum_taps(const Transposed& conv, const float* x, ptrdiff_t channel_stride,
               const float* weight, int64_t row, int64_t column) {
  const Axis& rows = conv.windows.axis[0];
  const Axis& columns = conv.windows.axis[1];
  float sum = 0;
  for (int64_t i = 0; i < rows.taps; ++i) {
    const int64_t y = input_of(rows, row, i);
    for (int64_t j = 0; y >= 0 && j < columns.taps; ++j) {
      const int64_t at = input_of(columns, column, j);
      if (at < 0) {
        continue;
      }
      const float* from = x + y * rows.in_stride + at * columns.in_stride;
      const float* w = weight + i * rows.tap_stride + j * columns.tap_stride;
      for (size_t c = 0; c < conv.inputs; ++c) {
        sum += *from * *w;
        from += channel_stride;
        w += conv.weight_input;
      }
    }
  }
  return sum;
}

void convolve(const Transposed& conv, const Images& from, const float* input, const float* weight,
              const float* bias, const Images& to, float* output) {
  for (size_t n = 0; n < from.batch; ++n) {
    for (size_t o = 0; o < to.channels; ++o) {
      const size_t group = o / conv.outputs;
      const auto first = static_cast<ptrdiff_t>(group * conv.inputs);
      const float* const x =
          input + static_cast<ptrdiff_t>(n) * from.batch_stride + first * from.channel_stride;
      const float* const w = weight +
                             static_cast<ptrdiff_t>(o % conv.outputs) * conv.weight_output +
                             first * conv.weight_input;
      float* const y = output + static_cast<ptrdiff_t>(n) * to.batch_stride +
                       static_cast<ptrdiff_t>(o) * to.channel_stride;
      for (int64_t row = 0; row < to.size[0]; ++row) {
        for (int64_t column = 0; column < to.size[1]; ++column) {
          y[row * to.stride[0] + column * to.stride[1]] =
              sum_taps(conv, x, from.channel_stride, w, row, column) + bias[o];
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
      !read(ctx, input, weight, {stride, padding, dilation}, output_padding, groups, channel_last,
            conv)) {
    return out;
  }
  const size_t outputs = conv.outputs * conv.groups;
  const Shape shape = shape_of_images(static_cast<size_t>(input.dim()), input.size(0),
                                      static_cast<int64_t>(outputs), conv.windows.axis[0].out,
                                      conv.windows.axis[1].out, channel_last);
  if (!require(ctx, static_cast<size_t>(bias.numel()) == outputs, "one bias for each output") ||
      !resize(ctx, shape, out)) {
    return out;
  }
  convolve(conv, Images(input, channel_last), input.const_data_ptr<float>(),
           weight.const_data_ptr<float>(), bias.const_data_ptr<float>(), Images(out, channel_last),
           out.mutable_data_ptr<float>());
  return out;
}

}  // namespace impl::generic::native
