#include <cstring>

#include <executorch/backends/cortex_m/kernels/library.h>

namespace cortex_m::native {

namespace {

/// Where the taps of one output lie; `outside` stands for what is beyond the borders.
void find_taps(const Convolution& conv, int32_t image, int32_t y, int32_t x, const int8_t* outside,
               const int8_t** taps) {
  const int32_t first_y = y * conv.stride[0] - conv.padding[0];
  const int32_t first_x = x * conv.stride[1] - conv.padding[1];
  if (first_y >= 0 && first_x >= 0 &&
      first_y + conv.dilation[0] * (conv.kernel[0] - 1) < conv.in.height &&
      first_x + conv.dilation[1] * (conv.kernel[1] - 1) < conv.in.width) {
    const int32_t step = conv.dilation[1] * conv.in.channels;
    const int32_t row_step =
        conv.dilation[0] * conv.in.width * conv.in.channels - conv.kernel[1] * step;
    const int8_t* from =
        conv.in.data +
        ((image * conv.in.height + first_y) * conv.in.width + first_x) * conv.in.channels;
    for (int32_t ky = 0; ky < conv.kernel[0]; ++ky, from += row_step) {
      for (int32_t kx = 0; kx < conv.kernel[1]; ++kx, from += step) {
        *taps++ = from;
      }
    }
    return;
  }
  for (int32_t ky = 0; ky < conv.kernel[0]; ++ky) {
    const int32_t from_y = first_y + ky * conv.dilation[0];
    const bool row_inside = from_y >= 0 && from_y < conv.in.height;
    const int8_t* const row = conv.in.data + (image * conv.in.height + (row_inside ? from_y : 0)) *
                                                 conv.in.width * conv.in.channels;
    for (int32_t kx = 0; kx < conv.kernel[1]; ++kx) {
      const int32_t from_x = first_x + kx * conv.dilation[1];
      const bool inside = row_inside && from_x >= 0 && from_x < conv.in.width;
      *taps++ = inside ? row + from_x * conv.in.channels : outside;
    }
  }
}

/// Every input channel has as many outputs as the multiplier says: one output at a time.
void multiply_groups(const Layer& layer, const int8_t* const* taps, size_t multiplier,
                     int8_t* out) {
  for (size_t c = 0; c < layer.channels; ++c) {
    int32_t sum = layer.seeds[c];
    for (size_t tap = 0; tap < layer.depth; ++tap) {
      sum += int32_t{layer.weight[tap * layer.channels + c]} * taps[tap][c / multiplier];
    }
    out[c] = finish(sum, layer.factors.of(c), layer.output);
  }
}

void convolve(const Convolution& conv, const Layer& layer, const int8_t* outside,
              const int8_t** taps, int8_t* out) {
  const auto multiplier = static_cast<size_t>(conv.out.channels / conv.in.channels);
  for (int32_t n = 0; n < conv.out.batch; ++n) {
    for (int32_t y = 0; y < conv.out.height; ++y) {
      for (int32_t x = 0; x < conv.out.width; ++x, out += layer.channels) {
        find_taps(conv, n, y, x, outside, taps);
        if (multiplier == 1) {
          multiply_taps(layer, taps, out);
        } else {
          multiply_groups(layer, taps, multiplier, out);
        }
      }
    }
  }
}

/// Checks all but bias and output. @returns false after failing the kernel.
bool read(KernelRuntimeContext& ctx, const ConvolutionArguments& args, Layout layout,
          Convolution& conv, Layer& layer) {
  if (!read_convolution(ctx, args, layout, conv, layer) ||
      !require(ctx,
               args.weight.size(0) == 1 && args.depth_multiplier > 0 &&
                   args.weight.size(3) == conv.in.channels * args.depth_multiplier,
               "the weight is [1, height, width, inputs * depth_multiplier]")) {
    return false;
  }
  layer.channels = static_cast<size_t>(args.weight.size(3));
  layer.depth = static_cast<size_t>(args.weight.size(1) * args.weight.size(2));
  conv.out = {conv.in.batch, convolved_size(conv, 0, conv.in.height),
              convolved_size(conv, 1, conv.in.width), static_cast<int32_t>(args.weight.size(3)),
              nullptr};
  return read_factors(ctx, args.multipliers, args.shifts, layer.channels, layer.factors);
}

Tensor& run(KernelRuntimeContext& ctx, const ConvolutionArguments& args, Layout layout,
            Tensor& out) {
  Convolution conv;
  Layer layer;
  const int32_t* bias = nullptr;
  int8_t* data = nullptr;
  if (!read(ctx, args, layout, conv, layer) || !read_bias(ctx, args.bias, layer.channels, bias) ||
      !write_images(ctx, conv.out, layout, out, data) || out.numel() == 0) {
    return out;
  }
  const library::Weights weights = {layer.weight, bias, static_cast<int32_t>(args.input_offset),
                                    layer.factors, layer.output};
  if (library::convolve_depthwise(ctx, conv, weights, static_cast<int32_t>(args.depth_multiplier),
                                  args.scratch, data) != library::Outcome::kNone) {
    return out;
  }
  const auto inputs = static_cast<size_t>(conv.in.channels);
  uint8_t* const memory =
      scratch_memory(ctx, &args.scratch,
                     Scratch::bytes(4 * layer.channels) + Scratch::bytes(inputs) +
                         Scratch::bytes(layer.depth * sizeof(const int8_t*)));
  if (memory == nullptr) {
    return out;
  }
  Scratch scratch(memory);
  auto* const seeds = scratch.take<int32_t>(layer.channels);
  auto* const outside = scratch.take<int8_t>(inputs);
  auto* const taps = scratch.take<const int8_t*>(layer.depth);
  make_depthwise_seeds(layer.weight, layer.channels, layer.depth, bias,
                       static_cast<int32_t>(args.input_offset), seeds);
  layer.seeds = seeds;
  layer.narrow = is_narrow(layer);
  std::memset(outside, conv.fill, inputs);
  convolve(conv, layer, outside, taps, data);
  return out;
}

}  // namespace

Tensor& quantized_depthwise_conv2d_out(KernelRuntimeContext& ctx, const Tensor& input,
                                       const Tensor& weight, const optional<Tensor>& bias,
                                       IntArrayRef stride, IntArrayRef padding,
                                       IntArrayRef dilation, int64_t depth_multiplier,
                                       int64_t input_offset, int64_t output_offset,
                                       const Tensor& requantize_multipliers,
                                       const Tensor& requantize_shifts, int64_t activation_min,
                                       int64_t activation_max, const Tensor& scratch, Tensor& out) {
  const auto args =
      arguments_of(input, weight, bias, stride, padding, nullptr, dilation, depth_multiplier,
                   input_offset, output_offset, requantize_multipliers, requantize_shifts,
                   activation_min, activation_max, scratch);
  return run(ctx, args, Layout::kChannelsLast, out);
}

Tensor& quantized_depthwise_conv2d_nhwc_out(
    KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
    const optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
    int64_t depth_multiplier, int64_t input_offset, int64_t output_offset,
    const Tensor& requantize_multipliers, const Tensor& requantize_shifts, int64_t activation_min,
    int64_t activation_max, const Tensor& scratch, Tensor& out) {
  const auto args =
      arguments_of(input, weight, bias, stride, padding, nullptr, dilation, depth_multiplier,
                   input_offset, output_offset, requantize_multipliers, requantize_shifts,
                   activation_min, activation_max, scratch);
  return run(ctx, args, Layout::kNhwc, out);
}

}  // namespace cortex_m::native
