/**
 * @file
 * Layers on quantized tensors: sums of products of integers, and what becomes of them.
 *
 * out = clamp(round((sum of (x - zero_point) * w) * in_scale * scale / out_scale + bias /
 * out_scale)
 *             + out_zero_point, min, max)
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/float_loops.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// What the operators are given, in their order.
struct IntegerLayerArgs {
  const Tensor& in;
  double in_scale;
  int64_t in_zero_point;
  const Tensor& weight;
  const Tensor& weight_scales;
  const Tensor* bias;  // may be null
  double out_scale;
  int64_t out_zero_point;
  int64_t out_min;
  int64_t out_max;
};

/// A layer that was checked.
struct IntegerLayer {
  ScalarType dtype;  // of input and output
  int zero_point;
  const int8_t* weight;  // [channels, depth]
  size_t depth;
  View scales;  // one element, or one for each channel
  View bias;    // one element for each channel; absent if its data are null
  bool per_channel;
  float in_scale;
  float inverse;
  float out_zero_point;
  float low;
  float high;
};

/**
 * Checks all but the shapes of input and output.
 * @returns false after failing the kernel.
 */
bool check_integer_layer(KernelRuntimeContext& ctx, const IntegerLayerArgs& args, const Tensor& out,
                         IntegerLayer& layer);

/// Sums are of at most so many products, which 32 bits hold whatever the integers are.
constexpr size_t kMostProducts = 65536;

constexpr size_t kTileRows = 8;
constexpr size_t kTileChannels = 64;
constexpr size_t kTileDepth = 256;

/// Some rows of inputs times some channels of weights.
struct IntegerTile {
  size_t rows;  // at most kTileRows
  size_t first_channel;
  size_t channels;  // at most kTileChannels
  char* out;        // of the first row and the first channel
  /// One of them is 1.
  ptrdiff_t row_stride;
  ptrdiff_t channel_stride;
};

/// Writes n outputs of a channel, which are neighbours; at most kTileChannels.
void finish_run(const IntegerLayer& layer, size_t channel, const int32_t* sums, size_t n, char* to);

/// Writes the tile's outputs.
/// @param sums [channels][kTileRows]
void finish_tile(const IntegerLayer& layer, const IntegerTile& tile, const int32_t* sums);

/// Writes q[i] - zero_point.
void load_integers(ScalarType dtype, const char* q, size_t n, int zero_point, int16_t* to);

/// sums[r] += sum of x[r * kTileDepth + i] * w[i].
void add_products(const int16_t* x, size_t rows, const int8_t* w, size_t n, int32_t* sums);

/// @param fill `fill(row, first, n, to)` writes n inputs of a row, without the zero point.
template <typename Fill>
void run_tile(const IntegerLayer& layer, const IntegerTile& tile, const Fill& fill) {
  int16_t x[kTileRows * kTileDepth];
  int32_t sums[kTileChannels * kTileRows] = {};
  for (size_t first = 0; first < layer.depth; first += kTileDepth) {
    const size_t n = layer.depth - first < kTileDepth ? layer.depth - first : kTileDepth;
    for (size_t row = 0; row < tile.rows; ++row) {
      fill(row, first, n, x + row * kTileDepth);
    }
    for (size_t c = 0; c < tile.channels; ++c) {
      const int8_t* w = layer.weight + (tile.first_channel + c) * layer.depth + first;
      add_products(x, tile.rows, w, n, sums + c * kTileRows);
    }
  }
  finish_tile(layer, tile, sums);
}

}  // namespace torch::executor::native::util
