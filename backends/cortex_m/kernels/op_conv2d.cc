#include <cstring>

#include <executorch/backends/cortex_m/kernels/library.h>

namespace cortex_m::native {

namespace {

/// Bytes of scratch: seeds, columns, and columns as int16.
size_t scratch_bytes(size_t channels, size_t depth) {
  return Scratch::bytes(4 * channels) + Scratch::bytes(kColumns * aligned(depth)) +
         Scratch::bytes(2 * expanded_size(depth));
}

void copy(int8_t* to, const int8_t* from, size_t n) {
  // Runs are short: a call of memcpy costs more than they do.
#if EXECUTORCH_CORTEX_M_MVE
  for (; n > 0; n -= n < 16 ? n : 16, from += 16, to += 16) {
    const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(n));
    vstrbq_p_s8(to, vldrbq_z_s8(from, lanes), lanes);
  }
#else
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    uint32_t word;
    std::memcpy(&word, from + i, 4);
    std::memcpy(to + i, &word, 4);
  }
  for (; i < n; ++i) {
    to[i] = from[i];
  }
#endif
}

/// The input's coordinate that a tap reads for an output's; -1 if there is none.
int32_t source(const Convolution& conv, size_t axis, int32_t at, int32_t tap, int32_t size) {
  const int32_t shifted = tap * conv.dilation[axis];
  int32_t from;
  if (conv.transposed) {
    from = at + conv.padding[axis] - shifted;
    if (from < 0 || from % conv.stride[axis] != 0) {
      return -1;
    }
    from /= conv.stride[axis];
  } else {
    from = at * conv.stride[axis] - conv.padding[axis] + shifted;
  }
  return from < size ? from : -1;
}

/// All inputs of one output: [kernel height, kernel width, run], from the group that begins at
/// `in`. Of int16 channels and runs are counted in bytes.
void gather(const Convolution& conv, const int8_t* in, int32_t image, int32_t y, int32_t x,
            int8_t* column) {
  const auto run = static_cast<size_t>(conv.run);
  const bool neighbours = !conv.transposed && conv.dilation[1] == 1 && conv.run == conv.in.channels;
  const int32_t first_x = x * conv.stride[1] - conv.padding[1];
  const bool inside = neighbours && first_x >= 0 && first_x + conv.kernel[1] <= conv.in.width;
  const auto row_size = static_cast<size_t>(conv.kernel[1]) * run;
  const int32_t first_y = y * conv.stride[0] - conv.padding[0];
  if (inside && first_y >= 0 &&
      first_y + conv.dilation[0] * (conv.kernel[0] - 1) < conv.in.height) {
    const int8_t* from =
        in + ((image * conv.in.height + first_y) * conv.in.width + first_x) * conv.in.channels;
    const int32_t step = conv.dilation[0] * conv.in.width * conv.in.channels;
    for (int32_t ky = 0; ky < conv.kernel[0]; ++ky, from += step, column += row_size) {
      copy(column, from, row_size);
    }
    return;
  }
  for (int32_t ky = 0; ky < conv.kernel[0]; ++ky, column += row_size) {
    const int32_t from_y = source(conv, 0, y, ky, conv.in.height);
    if (from_y < 0) {
      std::memset(column, conv.fill, row_size);
      continue;
    }
    const int8_t* const row =
        in + (image * conv.in.height + from_y) * conv.in.width * conv.in.channels;
    if (inside) {
      copy(column, row + first_x * conv.in.channels, row_size);
      continue;
    }
    for (int32_t kx = 0; kx < conv.kernel[1]; ++kx) {
      const int32_t from_x = source(conv, 1, x, kx, conv.in.width);
      int8_t* const to = column + static_cast<size_t>(kx) * run;
      if (from_x < 0) {
        std::memset(to, conv.fill, run);
      } else {
        copy(to, row + from_x * conv.in.channels, run);
      }
    }
  }
}

/// Outputs of the same image in a row of memory, up to kColumns at a time.
void convolve(const Convolution& conv, const Layer& layer, Scratch scratch, int8_t* out) {
  int8_t* const columns = scratch.take<int8_t>(kColumns * aligned(layer.depth));
  auto* const expanded = scratch.take<int16_t>(expanded_size(layer.depth));
  const bool direct = !conv.transposed && conv.kernel[0] == 1 && conv.kernel[1] == 1 &&
                      conv.padding[0] == 0 && conv.padding[1] == 0;
  const int8_t* pointers[kColumns];
  size_t waiting = 0;
  for (int32_t n = 0; n < conv.out.batch; ++n) {
    for (int32_t y = 0; y < conv.out.height; ++y) {
      for (int32_t x = 0; x < conv.out.width; ++x) {
        if (direct) {
          const int32_t row = n * conv.in.height + y * conv.stride[0];
          pointers[waiting] =
              conv.in.data + (row * conv.in.width + x * conv.stride[1]) * conv.in.channels;
        } else {
          int8_t* const column = columns + waiting * aligned(layer.depth);
          gather(conv, conv.in.data, n, y, x, column);
          pointers[waiting] = column;
        }
        if (++waiting == kColumns) {
          multiply_columns(layer, pointers, waiting, expanded, out);
          out += waiting * layer.channels;
          waiting = 0;
        }
      }
    }
  }
  if (waiting != 0) {
    multiply_columns(layer, pointers, waiting, expanded, out);
  }
}

/// The channels of one group, of a layer for all of them.
Layer group_of(const Layer& all, size_t group, size_t groups) {
  Layer layer = all;
  layer.channels = all.channels / groups;
  const size_t first = group * layer.channels;
  layer.weight += first * all.depth;
  if (layer.seeds != nullptr) {
    layer.seeds += first;
  }
  if (all.factors.per_channel) {
    layer.factors.multipliers += first;
    layer.factors.shifts += first;
  }
  return layer;
}

/// Each group of outputs of T, which is int8 or int16, from its group of inputs, one output after
/// the other.
template <typename T>
void convolve_groups(const Convolution& conv, const Layer& all, size_t groups, Scratch scratch,
                     T* first) {
  T* const column = scratch.take<T>(all.depth);
  for (size_t group = 0; group < groups; ++group) {
    const Layer layer = group_of(all, group, groups);
    const int8_t* const in = conv.in.data + group * static_cast<size_t>(conv.run);
    T* out = first + group * layer.channels;
    for (int32_t n = 0; n < conv.out.batch; ++n) {
      for (int32_t y = 0; y < conv.out.height; ++y) {
        for (int32_t x = 0; x < conv.out.width; ++x, out += all.channels) {
          gather(conv, in, n, y, x, reinterpret_cast<int8_t*>(column));
          multiply_row(layer, column, out);
        }
      }
    }
  }
}

/// How many groups a weight [outputs, height, width, inputs of a group] makes; 0 if it does not
/// fit.
size_t groups_of(const Convolution& conv, const Tensor& weight) {
  const auto inputs = static_cast<int64_t>(conv.in.channels);
  const int64_t each = weight.size(3);
  if (each == inputs) {
    return 1;
  }
  const bool fits =
      !conv.transposed && each > 0 && inputs % each == 0 && weight.size(0) % (inputs / each) == 0;
  return fits ? static_cast<size_t>(inputs / each) : 0;
}

/// Checks all but memory to work in, and gives the output its sizes. @returns how many groups there
/// are; 0 after failing the kernel, or where nothing is to be done.
size_t read(KernelRuntimeContext& ctx, const ConvolutionArguments& args, Layout layout,
            ScalarType type, Convolution& conv, Layer& layer, const int32_t*& bias, Tensor& out,
            int8_t*& data) {
  if (!read_convolution(ctx, args, layout, conv, layer, type)) {
    return 0;
  }
  const size_t groups = groups_of(conv, args.weight);
  if (!require(ctx, groups != 0, "the weight is [outputs, height, width, inputs of a group]")) {
    return 0;
  }
  conv.run = static_cast<int32_t>(args.weight.size(3));
  layer.channels = static_cast<size_t>(args.weight.size(0));
  layer.depth = static_cast<size_t>(conv.kernel[0] * conv.kernel[1] * conv.run);
  conv.out = {conv.in.batch, convolved_size(conv, 0, conv.in.height),
              convolved_size(conv, 1, conv.in.width), static_cast<int32_t>(args.weight.size(0)),
              nullptr};
  const bool fits =
      require(ctx, conv.out.height >= 0 && conv.out.width >= 0, "the output has no size") &&
      read_factors(ctx, args.multipliers, args.shifts, layer.channels, layer.factors) &&
      read_bias(ctx, args.bias, layer.channels, bias) &&
      write_images(ctx, conv.out, layout, out, data, type) && out.numel() != 0;
  return fits ? groups : 0;
}

Tensor& run(KernelRuntimeContext& ctx, const ConvolutionArguments& args, Layout layout,
            bool transposed, Tensor& out) {
  Convolution conv;
  conv.transposed = transposed;
  Layer layer;
  const int32_t* bias = nullptr;
  int8_t* data = nullptr;
  const size_t groups = read(ctx, args, layout, ScalarType::Char, conv, layer, bias, out, data);
  if (groups == 0) {
    return out;
  }
  const library::Weights weights = {layer.weight, bias, static_cast<int32_t>(args.input_offset),
                                    layer.factors, layer.output};
  if (groups == 1 &&
      library::convolve(ctx, conv, weights, args.scratch, data) != library::Outcome::kNone) {
    return out;
  }
  uint8_t* const memory =
      scratch_memory(ctx, &args.scratch, scratch_bytes(layer.channels, layer.depth));
  if (memory == nullptr) {
    return out;
  }
  Scratch scratch(memory);
  auto* const seeds = scratch.take<int32_t>(layer.channels);
  make_seeds(layer.weight, layer.channels, layer.depth, bias,
             static_cast<int32_t>(args.input_offset), seeds);
  layer.seeds = seeds;
  layer.narrow = is_narrow(layer);
  if (groups == 1) {
    convolve(conv, layer, scratch, data);
  } else {
    convolve_groups(conv, layer, groups, scratch, data);
  }
  return out;
}

/// Of int16, which has no zero point.
Tensor& run_wide(KernelRuntimeContext& ctx, const ConvolutionArguments& args, Layout layout,
                 Tensor& out) {
  Convolution conv;
  Layer layer;
  int8_t* data = nullptr;
  const size_t groups =
      read(ctx, args, layout, ScalarType::Short, conv, layer, layer.seeds, out, data);
  if (groups == 0 || !require_wide(ctx, layer.factors, layer.channels)) {
    return out;
  }
  uint8_t* const memory = scratch_memory(ctx, &args.scratch, Scratch::bytes(2 * layer.depth));
  if (memory == nullptr) {
    return out;
  }
  conv.in.channels *= 2;
  conv.run *= 2;
  convolve_groups(conv, layer, groups, Scratch(memory), reinterpret_cast<int16_t*>(data));
  return out;
}

}  // namespace

Tensor& quantized_conv2d_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
                             const optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
                             IntArrayRef dilation, int64_t input_offset, int64_t output_offset,
                             const Tensor& requantize_multipliers, const Tensor& requantize_shifts,
                             int64_t activation_min, int64_t activation_max, const Tensor& scratch,
                             Tensor& out) {
  const auto args = arguments_of(input, weight, bias, stride, padding, nullptr, dilation,
                                 int64_t{1}, input_offset, output_offset, requantize_multipliers,
                                 requantize_shifts, activation_min, activation_max, scratch);
  return run(ctx, args, Layout::kChannelsLast, false, out);
}

Tensor& quantized_conv2d_nhwc_out(KernelRuntimeContext& ctx, const Tensor& input,
                                  const Tensor& weight, const optional<Tensor>& bias,
                                  IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                  int64_t input_offset, int64_t output_offset,
                                  const Tensor& requantize_multipliers,
                                  const Tensor& requantize_shifts, int64_t activation_min,
                                  int64_t activation_max, const Tensor& scratch, Tensor& out) {
  const auto args = arguments_of(input, weight, bias, stride, padding, nullptr, dilation,
                                 int64_t{1}, input_offset, output_offset, requantize_multipliers,
                                 requantize_shifts, activation_min, activation_max, scratch);
  return run(ctx, args, Layout::kNhwc, false, out);
}

Tensor& quantized_transpose_conv2d_out(
    KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
    const optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef output_padding, IntArrayRef dilation, int64_t input_offset, int64_t output_offset,
    const Tensor& requantize_multipliers, const Tensor& requantize_shifts, int64_t activation_min,
    int64_t activation_max, const Tensor& scratch, const Tensor& /*output_scratch*/, Tensor& out) {
  const auto args = arguments_of(input, weight, bias, stride, padding, &output_padding, dilation,
                                 int64_t{1}, input_offset, output_offset, requantize_multipliers,
                                 requantize_shifts, activation_min, activation_max, scratch);
  return run(ctx, args, Layout::kChannelsLast, true, out);
}

Tensor& quantized_transpose_conv2d_nhwc_out(
    KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
    const optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef output_padding, IntArrayRef dilation, int64_t input_offset, int64_t output_offset,
    const Tensor& requantize_multipliers, const Tensor& requantize_shifts, int64_t activation_min,
    int64_t activation_max, const Tensor& scratch, const Tensor& /*output_scratch*/, Tensor& out) {
  const auto args = arguments_of(input, weight, bias, stride, padding, &output_padding, dilation,
                                 int64_t{1}, input_offset, output_offset, requantize_multipliers,
                                 requantize_shifts, activation_min, activation_max, scratch);
  return run(ctx, args, Layout::kNhwc, true, out);
}

Tensor& quantized_conv2d_int16_out(KernelRuntimeContext& ctx, const Tensor& input,
                                   const Tensor& weight, const optional<Tensor>& bias,
                                   IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                   const Tensor& requantize_multipliers,
                                   const Tensor& requantize_shifts, int64_t activation_min,
                                   int64_t activation_max, const Tensor& scratch, Tensor& out) {
  const auto args = arguments_of(input, weight, bias, stride, padding, nullptr, dilation,
                                 int64_t{1}, int64_t{0}, int64_t{0}, requantize_multipliers,
                                 requantize_shifts, activation_min, activation_max, scratch);
  return run_wide(ctx, args, Layout::kChannelsLast, out);
}

Tensor& quantized_conv2d_int16_nhwc_out(KernelRuntimeContext& ctx, const Tensor& input,
                                        const Tensor& weight, const optional<Tensor>& bias,
                                        IntArrayRef stride, IntArrayRef padding,
                                        IntArrayRef dilation, const Tensor& requantize_multipliers,
                                        const Tensor& requantize_shifts, int64_t activation_min,
                                        int64_t activation_max, const Tensor& scratch,
                                        Tensor& out) {
  const auto args = arguments_of(input, weight, bias, stride, padding, nullptr, dilation,
                                 int64_t{1}, int64_t{0}, int64_t{0}, requantize_multipliers,
                                 requantize_shifts, activation_min, activation_max, scratch);
  return run_wide(ctx, args, Layout::kNhwc, out);
}

}  // namespace cortex_m::native
