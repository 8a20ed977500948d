#include <executorch/backends/cadence/kernels/products.h>
#include <executorch/backends/cadence/kernels/windows.h>

namespace impl::generic::native {

namespace {

/// What the operators are given.
struct Arguments {
  ScalingArguments scaling;
  Lists lists;
  int64_t groups;
};

/// A checked convolution.
struct Convolution {
  Windows windows;
  size_t groups = 1;
  size_t inputs = 0;   // of one group
  size_t outputs = 0;  // of one group
  Scaling scaling;
  /// Of the weights, in elements.
  ptrdiff_t weight_output = 0;
  ptrdiff_t weight_input = 0;
};

/// Of weights [o, i, taps...], channels last [o, taps..., i], or [taps..., o] for depthwise ones.
bool read_weight(KernelRuntimeContext& ctx, const Tensor& weight, size_t rank, bool channels_last,
                 const Images& in, int64_t groups, Convolution& conv, int64_t (&taps)[2]) {
  const auto dims = static_cast<size_t>(weight.dim());
  const bool depthwise = channels_last && dims == rank - 1;
  if (!require(ctx, dims == rank || depthwise, "the weights have another rank than the input") ||
      !require(ctx, groups > 0 && static_cast<size_t>(groups) <= in.channels,
               "groups must be at most as many as channels")) {
    return false;
  }
  const ssize_t first = depthwise ? 0 : channels_last ? 1 : 2;
  const size_t spatial = rank - 2;
  for (size_t d = 0; d < spatial; ++d) {
    taps[2 - spatial + d] = weight.size(first + static_cast<ssize_t>(d));
  }
  const auto last = static_cast<ssize_t>(dims) - 1;
  const auto outputs = static_cast<size_t>(weight.size(depthwise ? last : 0));
  conv.groups = static_cast<size_t>(groups);
  conv.inputs = depthwise ? 1 : static_cast<size_t>(weight.size(channels_last ? last : 1));
  conv.outputs = outputs / conv.groups;
  const auto plane = static_cast<ptrdiff_t>(taps[0] * taps[1]);
  const auto inputs = static_cast<ptrdiff_t>(conv.inputs);
  const auto step = static_cast<ptrdiff_t>(depthwise ? outputs : channels_last ? conv.inputs : 1);
  conv.weight_output = depthwise ? 1 : plane * inputs;
  conv.weight_input = depthwise || channels_last ? 1 : plane;
  conv.windows.axis[0].tap_stride = static_cast<ptrdiff_t>(taps[1]) * step;
  conv.windows.axis[1].tap_stride = step;
  return require(ctx, conv.inputs * conv.groups == in.channels,
                 "the weights are of another number of inputs") &&
         require(ctx, outputs > 0 && conv.outputs * conv.groups == outputs,
                 "outputs do not fall into groups");
}

bool check(KernelRuntimeContext& ctx, const Arguments& args, bool channels_last, Convolution& conv,
           Tensor& out) {
  const Tensor& x = args.scaling.input;
  const auto rank = static_cast<size_t>(x.dim());
  if (!read_scaling(ctx, args.scaling, out, conv.scaling) ||
      !require(ctx, rank == 3 || rank == 4, "images have three or four dimensions")) {
    return false;
  }
  const Images in(x, channels_last);
  int64_t taps[2] = {1, 1};
  if (!read_weight(ctx, args.scaling.weight, rank, channels_last, in, args.groups, conv, taps) ||
      !read_windows(ctx, in, rank, taps, args.lists, conv.windows)) {
    return false;
  }
  const size_t outputs = conv.outputs * conv.groups;
  const Shape shape =
      shape_of_images(rank, x.size(0), static_cast<int64_t>(outputs), conv.windows.axis[0].out,
                      conv.windows.axis[1].out, channels_last);
  return require(ctx, static_cast<size_t>(args.scaling.bias.numel()) == outputs,
                 "one bias for each output") &&
         resize(ctx, shape, out);
}

/// One window of one output; `x` is the image's first element of the group.
template <typename T>
int64_t sum_window(const Convolution& conv, const T* x, ptrdiff_t channel_stride,
                   const weight_of<T>* weight, int64_t row, int64_t column) {
  const Axis& rows = conv.windows.axis[0];
  const Axis& columns = conv.windows.axis[1];
  const Inside down = taps_inside(rows, row);
  const Inside across = taps_inside(columns, column);
  int64_t sum = 0;
  for (int64_t i = down.begin; i < down.end; ++i) {
    const int64_t at_row = row * rows.stride - rows.padding + i * rows.dilation;
    for (int64_t j = across.begin; j < across.end; ++j) {
      const int64_t at_column = column * columns.stride - columns.padding + j * columns.dilation;
      sum += sum_of_products(conv.scaling.zero,
                             x + at_row * rows.in_stride + at_column * columns.in_stride,
                             channel_stride, weight + i * rows.tap_stride + j * columns.tap_stride,
                             conv.weight_input, conv.inputs);
    }
  }
  return sum;
}

template <typename T>
void convolve(const Convolution& conv, const Arguments& args, bool channels_last, Tensor& out) {
  const Images from(args.scaling.input, channels_last);
  const Images to(out, channels_last);
  const T* const input = args.scaling.input.const_data_ptr<T>();
  const auto* const weight = args.scaling.weight.const_data_ptr<weight_of<T>>();
  const int32_t* const bias = args.scaling.bias.const_data_ptr<int32_t>();
  T* const output = out.mutable_data_ptr<T>();
  for (size_t n = 0; n < from.batch; ++n) {
    for (size_t o = 0; o < to.channels; ++o) {
      const auto group = static_cast<ptrdiff_t>(o / conv.outputs * conv.inputs);
      const T* const x =
          input + static_cast<ptrdiff_t>(n) * from.batch_stride + group * from.channel_stride;
      const weight_of<T>* const w = weight + static_cast<ptrdiff_t>(o) * conv.weight_output;
      T* const y = output + static_cast<ptrdiff_t>(n) * to.batch_stride +
                   static_cast<ptrdiff_t>(o) * to.channel_stride;
      for (int64_t row = 0; row < to.size[0]; ++row) {
        for (int64_t column = 0; column < to.size[1]; ++column) {
          const int64_t sum = sum_window(conv, x, from.channel_stride, w, row, column) + bias[o];
          y[row * to.stride[0] + column * to.stride[1]] = conv.scaling.integer<T>(sum);
        }
      }
    }
  }
}

void run(KernelRuntimeContext& ctx, const Arguments& args, bool channels_last, Tensor& out) {
  Convolution conv;
  if (!check(ctx, args, channels_last, conv, out)) {
    return;
  }
  with_activation(args.scaling.input.scalar_type(),
                  [&](auto zero) { convolve<decltype(zero)>(conv, args, channels_last, out); });
}

/// The same with tensors for some of the numbers.
void run(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight, const Tensor& bias,
         const Lists& lists, int64_t groups, int64_t input_zero_point,
         const Tensor& weight_zero_point, const Tensor& bias_scale, double out_scale,
         int64_t out_zero_point, bool channels_last, Tensor& out) {
  int64_t zero_point = 0;
  double scale = 0;
  if (read_integer(ctx, weight_zero_point, zero_point) && read_number(ctx, bias_scale, scale)) {
    const ScalingArguments scaling = {input,      weight, bias,      input_zero_point,
                                      zero_point, scale,  out_scale, out_zero_point};
    run(ctx, {scaling, lists, groups}, channels_last, out);
  }
}

}  // namespace

Tensor& quantized_conv_nchw_out(KernelRuntimeContext& ctx, const Tensor& input,
                                const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                                IntArrayRef padding, IntArrayRef dilation, int64_t groups,
                                int64_t input_zero_point, const Tensor& weight_zero_point,
                                const Tensor& bias_scale, double out_scale, int64_t out_zero_point,
                                const Tensor&, const Tensor&, Tensor& out) {
  run(ctx, input, weight, bias, {stride, padding, dilation}, groups, input_zero_point,
      weight_zero_point, bias_scale, out_scale, out_zero_point, false, out);
  return out;
}

Tensor& quantized_conv_nhwc_out(KernelRuntimeContext& ctx, const Tensor& input,
                                const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                                IntArrayRef padding, IntArrayRef dilation, int64_t groups,
                                int64_t input_zero_point, const Tensor& weight_zero_point,
                                const Tensor& bias_scale, double out_scale, int64_t out_zero_point,
                                const Tensor&, const Tensor&, Tensor& out) {
  run(ctx, input, weight, bias, {stride, padding, dilation}, groups, input_zero_point,
      weight_zero_point, bias_scale, out_scale, out_zero_point, true, out);
  return out;
}

Tensor& quantized_conv_nchw_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input,
                                           const Tensor& weight, const Tensor& bias,
                                           IntArrayRef stride, IntArrayRef padding,
                                           IntArrayRef dilation, int64_t groups,
                                           int64_t input_zero_point, int64_t weight_zero_point,
                                           double bias_scale, double out_scale,
                                           int64_t out_zero_point, int64_t, int64_t, Tensor& out) {
  const ScalingArguments scaling = {
      input,      weight,    bias,          input_zero_point, weight_zero_point,
      bias_scale, out_scale, out_zero_point};
  run(ctx, {scaling, {stride, padding, dilation}, groups}, false, out);
  return out;
}

Tensor& quantized_conv_nhwc_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input,
                                           const Tensor& weight, const Tensor& bias,
                                           IntArrayRef stride, IntArrayRef padding,
                                           IntArrayRef dilation, int64_t groups,
                                           int64_t input_zero_point, int64_t weight_zero_point,
                                           double bias_scale, double out_scale,
                                           int64_t out_zero_point, int64_t, int64_t, Tensor& out) {
  const ScalingArguments scaling = {
      input,      weight,    bias,          input_zero_point, weight_zero_point,
      bias_scale, out_scale, out_zero_point};
  run(ctx, {scaling, {stride, padding, dilation}, groups}, true, out);
  return out;
}

Tensor& quantized_conv_nhwc_offset_out(KernelRuntimeContext& ctx, const Tensor& input,
                                       const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                                       IntArrayRef padding, IntArrayRef dilation, int64_t groups,
                                       int64_t input_zero_point, int64_t weight_zero_point,
                                       double bias_scale, double out_scale, int64_t out_zero_point,
                                       int64_t out_multiplier, int64_t out_shift,
                                       const optional<Tensor>&, Tensor& out) {
  return quantized_conv_nhwc_per_tensor_out(
      ctx, input, weight, bias, stride, padding, dilation, groups, input_zero_point,
      weight_zero_point, bias_scale, out_scale, out_zero_point, out_multiplier, out_shift, out);
}

}  // namespace impl::generic::native
