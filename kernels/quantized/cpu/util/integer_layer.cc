#include <executorch/kernels/quantized/cpu/util/affine.h>
#include <executorch/kernels/quantized/cpu/util/integer_layer.h>

namespace torch::executor::native::util {

bool check_integer_layer(KernelRuntimeContext& ctx, const IntegerLayerArgs& args, const Tensor& out,
                         IntegerLayer& layer) {
  const ScalarType dtype = args.in.scalar_type();
  const Tensor& weight = args.weight;
  const Tensor& scales = args.weight_scales;
  if (!require(ctx, dtype == ScalarType::Byte || dtype == ScalarType::Char,
               "the input must be Byte or Char") ||
      !require(ctx,
               dtype == ScalarType::Char ? args.in_zero_point >= -128 && args.in_zero_point <= 127
                                         : args.in_zero_point >= 0 && args.in_zero_point <= 255,
               "the input's zero point must be one of its integers") ||
      !require_quantized(ctx, out, dtype, args.out_min, args.out_max) ||
      !require(ctx, args.out_scale > 0, "the output's scale must be above 0") ||
      !require(
          ctx,
          weight.scalar_type() == ScalarType::Char && weight.dim() >= 2 && is_contiguous(weight),
          "the weight must be contiguous, of Char and at least a matrix") ||
      !require(ctx,
               scales.scalar_type() == ScalarType::Float && scales.dim() == 1 &&
                   (scales.size(0) == 1 || scales.size(0) == weight.size(0)),
               "the weight's scales must be Floats, one or one for each output channel") ||
      !require(
          ctx,
          args.bias == nullptr || (args.bias->scalar_type() == ScalarType::Float &&
                                   args.bias->dim() == 1 && args.bias->size(0) == weight.size(0)),
          "the bias must be Floats, one for each output channel")) {
    return false;
  }
  layer.depth = product(weight, 1, static_cast<size_t>(weight.dim()));
  if (!require(ctx, layer.depth <= kMostProducts,
               "an output may depend on 65,536 inputs at most")) {
    return false;
  }
  layer.dtype = dtype;
  layer.zero_point = static_cast<int>(args.in_zero_point);
  layer.weight = static_cast<const int8_t*>(weight.const_data_ptr());
  layer.scales = View(scales);
  layer.bias = args.bias == nullptr ? View() : View(*args.bias);
  layer.per_channel = scales.size(0) > 1;
  layer.in_scale = static_cast<float>(args.in_scale);
  layer.inverse = static_cast<float>(1.0 / args.out_scale);
  layer.out_zero_point = static_cast<float>(args.out_zero_point);
  layer.low = static_cast<float>(args.out_min - args.out_zero_point);
  layer.high = static_cast<float>(args.out_max - args.out_zero_point);
  return true;
}

namespace {

float scale_of(const IntegerLayer& layer, size_t channel) {
  return layer.in_scale *
         get_element<float>(layer.scales, layer.per_channel ? static_cast<ptrdiff_t>(channel) : 0);
}

float bias_of(const IntegerLayer& layer, size_t channel) {
  return layer.bias.data == nullptr
             ? 0.0f
             : get_element<float>(layer.bias, static_cast<ptrdiff_t>(channel));
}

void quantize_outputs(const IntegerLayer& layer, float* values, size_t n, char* to) {
  quantize_floats(layer.dtype, values, n, layer.inverse, layer.out_zero_point, layer.low,
                  layer.high, to);
}

}  // namespace

void finish_run(const IntegerLayer& layer, size_t channel, const int32_t* sums, size_t n,
                char* to) {
  float values[kTileChannels];
  const float scale = scale_of(layer, channel);
  const float bias = bias_of(layer, channel);
  for (size_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(sums[i]) * scale + bias;
  }
  quantize_outputs(layer, values, n, to);
}

void finish_tile(const IntegerLayer& layer, const IntegerTile& tile, const int32_t* sums) {
  if (tile.channel_stride != 1) {
    for (size_t c = 0; c < tile.channels; ++c) {
      finish_run(layer, tile.first_channel + c, sums + c * kTileRows, tile.rows,
                 tile.out + static_cast<ptrdiff_t>(c) * tile.channel_stride);
    }
    return;
  }
  float scales[kTileChannels];
  float biases[kTileChannels];
  float values[kTileChannels];
  for (size_t c = 0; c < tile.channels; ++c) {
    scales[c] = scale_of(layer, tile.first_channel + c);
    biases[c] = bias_of(layer, tile.first_channel + c);
  }
  for (size_t row = 0; row < tile.rows; ++row) {
    for (size_t c = 0; c < tile.channels; ++c) {
      values[c] = static_cast<float>(sums[c * kTileRows + row]) * scales[c] + biases[c];
    }
    quantize_outputs(layer, values, tile.channels,
                     tile.out + static_cast<ptrdiff_t>(row) * tile.row_stride);
  }
}

void load_integers(ScalarType dtype, const char* q, size_t n, int zero_point, int16_t* to) {
  if (dtype == ScalarType::Char) {
    const int8_t* from = reinterpret_cast<const int8_t*>(q);
    for (size_t i = 0; i < n; ++i) {
      to[i] = static_cast<int16_t>(from[i] - zero_point);
    }
    return;
  }
  const uint8_t* from = reinterpret_cast<const uint8_t*>(q);
  for (size_t i = 0; i < n; ++i) {
    to[i] = static_cast<int16_t>(from[i] - zero_point);
  }
}

void add_products(const int16_t* x, size_t rows, const int8_t* w, size_t n, int32_t* sums) {
  if (float_loops.add_products != nullptr) {
    float_loops.add_products(x, kTileDepth, rows, w, n, sums);
    return;
  }
  for (size_t row = 0; row < rows; ++row) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; ++i) {
      sum += int32_t{x[row * kTileDepth + i]} * int32_t{w[i]};
    }
    sums[row] += sum;
  }
}

}  // namespace torch::executor::native::util
