/**
 * @file
 * Sums of products of int8, and of int16 by int8, and what layers make of them. Zero points are no
 * part of the products: sum((x + offset) * w) is sum(x * w) + offset * sum(w), and the second part
 * is the same for every output of a channel, so that it belongs to the bias ("seed").
 *
 * products.cc has one loop for processors with Helium (MVE), one for those with the DSP extension
 * and one for all others; results are equal to the bit.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/backends/cortex_m/kernels/arithmetic.h>

namespace cortex_m::native {

/// Factors of a layer's channels: one for all, or one each.
struct Factors {
  const int32_t* multipliers;
  const int32_t* shifts;
  bool per_channel;

  Factor of(size_t channel) const {
    const size_t at = per_channel ? channel : 0;
    return {multipliers[at], shifts[at]};
  }
};

/// A layer whose outputs are sums over `depth` inputs.
struct Layer {
  const int8_t* weight;  // [channels, depth]
  const int32_t* seeds;  // [channels]
  size_t channels;
  size_t depth;
  Factors factors;
  Output output;
  bool narrow = false;  // all sums and factors are such that `requantize_narrow` is right
};

/// Whether seeds, depth and factors of a layer leave no sum and no factor that is not narrow.
bool is_narrow(const Layer& layer);

/// seeds[c] = bias[c] + offset * sum(weight[c]); without a bias if it is null.
void make_seeds(const int8_t* weight, size_t channels, size_t depth, const int32_t* bias,
                int32_t offset, int32_t* seeds);

/// The same for a depthwise layer's [depth, channels].
void make_depthwise_seeds(const int8_t* weight, size_t channels, size_t depth, const int32_t* bias,
                          int32_t offset, int32_t* seeds);

/// At most so many outputs are calculated in one go.
constexpr size_t kColumns = 4;

/// Rounded so that the next one is aligned.
constexpr size_t aligned(size_t size) { return (size + 3) / 4 * 4; }

/// int16 of `expanded` in `multiply_columns`.
constexpr size_t expanded_size(size_t depth) { return 2 * aligned(depth); }

/**
 * The outputs of all channels for `count` vectors of inputs.
 * @param columns count vectors of `depth` inputs.
 * @param expanded int16[expanded_size(depth)] to work in; not used with MVE.
 * @param out [count, channels]
 */
void multiply_columns(const Layer& layer, const int8_t* const* columns, size_t count,
                      int16_t* expanded, int8_t* out);

/// The outputs of all channels for one vector of inputs, without memory to work in.
void multiply_row(const Layer& layer, const int8_t* row, int8_t* out);

/// The same of int16, whose seeds are the bias, or null: sums have 64 bits (`finish_wide`).
void multiply_row(const Layer& layer, const int16_t* row, int16_t* out);

int32_t sum_of(const int8_t* values, size_t n);

/**
 * Outputs of a depthwise layer, one for each channel.
 * @param layer weight is [depth, channels].
 * @param taps depth pointers to `channels` inputs each.
 */
void multiply_taps(const Layer& layer, const int8_t* const* taps, int8_t* out);

}  // namespace cortex_m::native
