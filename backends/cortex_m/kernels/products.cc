#include <cstring>

#include <executorch/backends/cortex_m/kernels/products.h>

namespace cortex_m::native {

int32_t sum_of(const int8_t* values, size_t n) {
  int32_t sum = 0;
#if EXECUTORCH_CORTEX_M_MVE
  for (size_t i = 0; i < n; i += 16) {
    const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(n - i));
    sum = vaddvaq_p_s8(sum, vldrbq_z_s8(values + i, lanes), lanes);
  }
#else
  for (size_t i = 0; i < n; ++i) {
    sum += values[i];
  }
#endif
  return sum;
}

void make_seeds(const int8_t* weight, size_t channels, size_t depth, const int32_t* bias,
                int32_t offset, int32_t* seeds) {
  for (size_t c = 0; c < channels; ++c) {
    const int32_t constant = bias == nullptr ? 0 : bias[c];
    seeds[c] = constant + (offset == 0 ? 0 : offset * sum_of(weight + c * depth, depth));
  }
}

void make_depthwise_seeds(const int8_t* weight, size_t channels, size_t depth, const int32_t* bias,
                          int32_t offset, int32_t* seeds) {
  for (size_t c = 0; c < channels; ++c) {
    int32_t sum = 0;
    for (size_t tap = 0; tap < depth; ++tap) {
      sum += weight[tap * channels + c];
    }
    seeds[c] = (bias == nullptr ? 0 : bias[c]) + offset * sum;
  }
}

bool is_narrow(const Layer& layer) {
#if EXECUTORCH_CORTEX_M_MVE
  // Helium requantizes four sums at a time, whatever their size.
  (void)layer;
  return false;
#else
  // A product of int8 is at most 2^14.
  if (layer.depth >= (size_t{kNarrowSum} >> 15)) {
    return false;
  }
  for (size_t c = 0; c < layer.channels; ++c) {
    const int32_t shift = layer.factors.of(c).shift;
    if (layer.seeds[c] >= kNarrowSum / 2 || layer.seeds[c] <= -kNarrowSum / 2 ||
        shift < kLeastNarrowShift || shift > -1) {
      return false;
    }
  }
  return true;
#endif
}

#if EXECUTORCH_CORTEX_M_MVE

namespace {

/// One channel's sums with four vectors of inputs.
inline int32x4_t dot_columns(const int8_t* w, const int8_t* const* columns, size_t depth,
                             int32_t seed) {
  const int8_t* x0 = columns[0];
  const int8_t* x1 = columns[1];
  const int8_t* x2 = columns[2];
  const int8_t* x3 = columns[3];
  int32_t sum0 = seed;
  int32_t sum1 = seed;
  int32_t sum2 = seed;
  int32_t sum3 = seed;
  auto left = static_cast<int32_t>(depth);
  for (; left > 0; left -= 16) {
    const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(left));
    const int8x16_t weights = vldrbq_z_s8(w, lanes);
    sum0 = vmladavaq_p_s8(sum0, weights, vldrbq_z_s8(x0, lanes), lanes);
    sum1 = vmladavaq_p_s8(sum1, weights, vldrbq_z_s8(x1, lanes), lanes);
    sum2 = vmladavaq_p_s8(sum2, weights, vldrbq_z_s8(x2, lanes), lanes);
    sum3 = vmladavaq_p_s8(sum3, weights, vldrbq_z_s8(x3, lanes), lanes);
    w += 16;
    x0 += 16;
    x1 += 16;
    x2 += 16;
    x3 += 16;
  }
  int32x4_t sums = vdupq_n_s32(sum0);
  sums = vsetq_lane_s32(sum1, sums, 1);
  sums = vsetq_lane_s32(sum2, sums, 2);
  return vsetq_lane_s32(sum3, sums, 3);
}

}  // namespace

void multiply_columns(const Layer& given, const int8_t* const* columns, size_t count,
                      int16_t* /*expanded*/, int8_t* out) {
  const Layer layer = given;  // no store changes it
  const int8_t* four[kColumns];
  for (size_t i = 0; i < kColumns; ++i) {
    four[i] = columns[i < count ? i : count - 1];
  }
  const mve_pred16_t lanes = vctp32q(static_cast<uint32_t>(count));
  const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 1), static_cast<uint32_t>(layer.channels));
  const int8_t* w = layer.weight;
  for (size_t c = 0; c < layer.channels; ++c) {
    const int32x4_t sums = dot_columns(w, four, layer.depth, layer.seeds[c]);
    const int32x4_t results = finish(requantize(sums, layer.factors.of(c)), layer.output);
    vstrbq_scatter_offset_p_s32(out + c, places, results, lanes);
    w += layer.depth;
  }
}

void multiply_row(const Layer& given, const int8_t* row, int8_t* out) {
  const Layer layer = given;  // no store changes it
  for (size_t c = 0; c < layer.channels; c += 4) {
    // Four channels of one row are four rows of one column.
    const int8_t* rows[kColumns];
    for (size_t i = 0; i < kColumns; ++i) {
      const size_t channel = c + i < layer.channels ? c + i : layer.channels - 1;
      rows[i] = layer.weight + channel * layer.depth;
    }
    const mve_pred16_t lanes = vctp32q(static_cast<uint32_t>(layer.channels - c));
    int32x4_t sums = dot_columns(row, rows, layer.depth, 0);
    sums = vaddq_s32(sums, vldrwq_z_s32(layer.seeds + c, lanes));
    if (layer.factors.per_channel) {
      sums = requantize(sums, vldrwq_z_s32(layer.factors.multipliers + c, lanes),
                        vldrwq_z_s32(layer.factors.shifts + c, lanes));
    } else {
      sums = requantize(sums, layer.factors.of(0));
    }
    vstrbq_p_s32(out + c, finish(sums, layer.output), lanes);
  }
}

namespace {

/// Sums of eight channels, those with even numbers and those with odd ones. kWhole: all eight
/// exist.
template <bool kWhole>
inline void dot_taps(const Layer& layer, const int8_t* const* taps, size_t channel,
                     mve_pred16_t eight, int32x4_t& even, int32x4_t& odd) {
  const int8_t* w = layer.weight + channel;
  for (size_t tap = 0; tap < layer.depth; ++tap) {
    const int8_t* const from = taps[tap] + channel;
    const int16x8_t x = kWhole ? vldrbq_s16(from) : vldrbq_z_s16(from, eight);
    const int16x8_t weights = kWhole ? vldrbq_s16(w) : vldrbq_z_s16(w, eight);
    even = vaddq_s32(even, vmullbq_int_s16(x, weights));
    odd = vaddq_s32(odd, vmulltq_int_s16(x, weights));
    w += layer.channels;
  }
}

}  // namespace

void multiply_taps(const Layer& given, const int8_t* const* taps, int8_t* out) {
  const Layer layer = given;  // no store changes it
  const uint32x4_t twos = vshlq_n_u32(vidupq_n_u32(0, 1), 1);
  for (size_t c = 0; c < layer.channels; c += 8) {
    const size_t n = layer.channels - c < 8 ? layer.channels - c : 8;
    int32x4_t sums[2] = {vdupq_n_s32(0), vdupq_n_s32(0)};
    if (n == 8) {
      dot_taps<true>(layer, taps, c, 0, sums[0], sums[1]);
    } else {
      dot_taps<false>(layer, taps, c, vctp16q(static_cast<uint32_t>(n)), sums[0], sums[1]);
    }
    // Seeds and factors are gathered as the channels stand.
    for (size_t odd = 0; odd < 2; ++odd) {
      const mve_pred16_t lanes = vctp32q(static_cast<uint32_t>((n + 1 - odd) / 2));
      const size_t at = c + odd;
      int32x4_t sum =
          vaddq_s32(sums[odd], vldrwq_gather_shifted_offset_z_s32(layer.seeds + at, twos, lanes));
      if (layer.factors.per_channel) {
        sum = requantize(
            sum, vldrwq_gather_shifted_offset_z_s32(layer.factors.multipliers + at, twos, lanes),
            vldrwq_gather_shifted_offset_z_s32(layer.factors.shifts + at, twos, lanes));
      } else {
        sum = requantize(sum, layer.factors.of(0));
      }
      vstrbq_scatter_offset_p_s32(out + at, twos, finish(sum, layer.output), lanes);
    }
  }
}

#else  // no MVE

#if EXECUTORCH_CORTEX_M_DSP

namespace {

inline uint32_t word_at(const void* from) {
  uint32_t word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

/// Bytes 0 and 2 of a word, and bytes 1 and 3, as two int16.
inline int16x2_t low_pair(uint32_t word) { return __sxtb16(static_cast<int8x4_t>(word)); }
inline int16x2_t high_pair(uint32_t word) {
  return __sxtb16(static_cast<int8x4_t>(__ror(word, 8)));
}

/// Groups of four inputs as int16 in the order 0, 2, 1, 3; the rest in their own.
void expand(const int8_t* from, size_t n, int16_t* to) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const uint32_t word = word_at(from + i);
    const int16x2_t pairs[] = {low_pair(word), high_pair(word)};
    std::memcpy(to + i, pairs, sizeof(pairs));
  }
  for (; i < n; ++i) {
    to[i] = from[i];
  }
}

/// Two channels times two vectors of inputs: sums[channel * 2 + vector].
inline void dot_two_by_two(const int8_t* w0, const int8_t* w1, const int16_t* x0, const int16_t* x1,
                           size_t depth, int32_t* sums) {
  int32_t s00 = sums[0];
  int32_t s01 = sums[1];
  int32_t s10 = sums[2];
  int32_t s11 = sums[3];
  const int8_t* const end = w0 + depth / 4 * 4;
#pragma clang loop unroll_count(2)
  while (w0 != end) {
    const uint32_t word0 = word_at(w0);
    const uint32_t word1 = word_at(w1);
    const auto x00 = static_cast<int16x2_t>(word_at(x0));
    const auto x01 = static_cast<int16x2_t>(word_at(x0 + 2));
    const auto x10 = static_cast<int16x2_t>(word_at(x1));
    const auto x11 = static_cast<int16x2_t>(word_at(x1 + 2));
    int16x2_t pair = low_pair(word0);
    s00 = __smlad(pair, x00, s00);
    s01 = __smlad(pair, x10, s01);
    pair = high_pair(word0);
    s00 = __smlad(pair, x01, s00);
    s01 = __smlad(pair, x11, s01);
    pair = low_pair(word1);
    s10 = __smlad(pair, x00, s10);
    s11 = __smlad(pair, x10, s11);
    pair = high_pair(word1);
    s10 = __smlad(pair, x01, s10);
    s11 = __smlad(pair, x11, s11);
    w0 += 4;
    w1 += 4;
    x0 += 4;
    x1 += 4;
  }
  for (size_t i = 0; i < depth % 4; ++i) {
    s00 += w0[i] * x0[i];
    s01 += w0[i] * x1[i];
    s10 += w1[i] * x0[i];
    s11 += w1[i] * x1[i];
  }
  sums[0] = s00;
  sums[1] = s01;
  sums[2] = s10;
  sums[3] = s11;
}

/// Four rows of weights times one row of inputs.
inline void dot_four(const int8_t* const* w, const int8_t* x, size_t depth, int32_t* sums) {
  const int8_t* w0 = w[0];
  const int8_t* w1 = w[1];
  const int8_t* w2 = w[2];
  const int8_t* w3 = w[3];
  int32_t s0 = sums[0];
  int32_t s1 = sums[1];
  int32_t s2 = sums[2];
  int32_t s3 = sums[3];
  size_t i = 0;
  for (; i + 4 <= depth; i += 4) {
    const uint32_t word = word_at(x + i);
    const int16x2_t low = low_pair(word);
    const int16x2_t high = high_pair(word);
    const uint32_t word0 = word_at(w0 + i);
    s0 = __smlad(high_pair(word0), high, __smlad(low_pair(word0), low, s0));
    const uint32_t word1 = word_at(w1 + i);
    s1 = __smlad(high_pair(word1), high, __smlad(low_pair(word1), low, s1));
    const uint32_t word2 = word_at(w2 + i);
    s2 = __smlad(high_pair(word2), high, __smlad(low_pair(word2), low, s2));
    const uint32_t word3 = word_at(w3 + i);
    s3 = __smlad(high_pair(word3), high, __smlad(low_pair(word3), low, s3));
  }
  for (; i < depth; ++i) {
    s0 += w0[i] * x[i];
    s1 += w1[i] * x[i];
    s2 += w2[i] * x[i];
    s3 += w3[i] * x[i];
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

/// Four channels of a depthwise layer.
inline void dot_taps(const int8_t* w, size_t stride, const int8_t* const* taps, size_t channel,
                     size_t depth, int32_t* sums) {
  int32_t s0 = sums[0];
  int32_t s1 = sums[1];
  int32_t s2 = sums[2];
  int32_t s3 = sums[3];
  for (size_t tap = 0; tap < depth; ++tap, w += stride) {
    const uint32_t weights = word_at(w);
    const uint32_t inputs = word_at(taps[tap] + channel);
    const int16x2_t w02 = low_pair(weights);
    const int16x2_t w13 = high_pair(weights);
    const int16x2_t x02 = low_pair(inputs);
    const int16x2_t x13 = high_pair(inputs);
    s0 = __smlabb(w02, x02, s0);
    s2 = __smlatt(w02, x02, s2);
    s1 = __smlabb(w13, x13, s1);
    s3 = __smlatt(w13, x13, s3);
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

}  // namespace

#else  // neither

namespace {

void expand(const int8_t* from, size_t n, int16_t* to) {
  for (size_t i = 0; i < n; ++i) {
    to[i] = from[i];
  }
}

inline void dot_two_by_two(const int8_t* w0, const int8_t* w1, const int16_t* x0, const int16_t* x1,
                           size_t depth, int32_t* sums) {
  for (size_t i = 0; i < depth; ++i) {
    sums[0] += int32_t{w0[i]} * x0[i];
    sums[1] += int32_t{w0[i]} * x1[i];
    sums[2] += int32_t{w1[i]} * x0[i];
    sums[3] += int32_t{w1[i]} * x1[i];
  }
}

inline void dot_four(const int8_t* const* w, const int8_t* x, size_t depth, int32_t* sums) {
  for (size_t i = 0; i < depth; ++i) {
    for (size_t row = 0; row < 4; ++row) {
      sums[row] += int32_t{w[row][i]} * x[i];
    }
  }
}

inline void dot_taps(const int8_t* w, size_t stride, const int8_t* const* taps, size_t channel,
                     size_t depth, int32_t* sums) {
  for (size_t tap = 0; tap < depth; ++tap, w += stride) {
    const int8_t* const x = taps[tap] + channel;
    for (size_t i = 0; i < 4; ++i) {
      sums[i] += int32_t{w[i]} * x[i];
    }
  }
}

}  // namespace

#endif

namespace {

// Rarely called: not worth its place in the loops.
[[gnu::noinline]] int8_t finish_wide(int32_t sum, Factor factor, Output output) {
  return finish(sum, factor, output);
}

inline int8_t finish(const Layer& layer, int32_t sum, Factor factor) {
  return layer.narrow ? bounded(requantize_narrow(sum, factor), layer.output)
                      : finish_wide(sum, factor, layer.output);
}

}  // namespace

void multiply_columns(const Layer& given, const int8_t* const* columns, size_t count,
                      int16_t* expanded, int8_t* out) {
  const Layer layer = given;  // no store changes it
  for (size_t first = 0; first < count; first += 2) {
    const bool two = first + 1 < count;
    int16_t* const x0 = expanded;
    int16_t* const x1 = two ? expanded + aligned(layer.depth) : expanded;
    expand(columns[first], layer.depth, x0);
    if (two) {
      expand(columns[first + 1], layer.depth, x1);
    }
    int8_t* const to = out + first * layer.channels;
    const int8_t* w = layer.weight;
    for (size_t c = 0; c < layer.channels; c += 2) {
      const bool pair = c + 1 < layer.channels;
      const size_t next = pair ? c + 1 : c;
      int32_t sums[4] = {layer.seeds[c], layer.seeds[c], layer.seeds[next], layer.seeds[next]};
      dot_two_by_two(w, pair ? w + layer.depth : w, x0, x1, layer.depth, sums);
      w += 2 * layer.depth;
      const Factor factor = layer.factors.of(c);
      const Factor next_factor = layer.factors.of(next);
      to[c] = finish(layer, sums[0], factor);
      to[next] = finish(layer, sums[2], next_factor);
      if (two) {
        to[layer.channels + c] = finish(layer, sums[1], factor);
        to[layer.channels + next] = finish(layer, sums[3], next_factor);
      }
    }
  }
}

void multiply_row(const Layer& given, const int8_t* row, int8_t* out) {
  const Layer layer = given;  // no store changes it
  for (size_t c = 0; c < layer.channels; c += 4) {
    const size_t n = layer.channels - c < 4 ? layer.channels - c : 4;
    const int8_t* rows[4];
    int32_t sums[4];
    for (size_t i = 0; i < 4; ++i) {
      const size_t channel = c + (i < n ? i : 0);
      rows[i] = layer.weight + channel * layer.depth;
      sums[i] = layer.seeds[channel];
    }
    dot_four(rows, row, layer.depth, sums);
    for (size_t i = 0; i < n; ++i) {
      out[c + i] = finish(layer, sums[i], layer.factors.of(c + i));
    }
  }
}

void multiply_taps(const Layer& given, const int8_t* const* taps, int8_t* out) {
  const Layer layer = given;  // no store changes it
  size_t c = 0;
  for (; c + 4 <= layer.channels; c += 4) {
    int32_t sums[4] = {layer.seeds[c], layer.seeds[c + 1], layer.seeds[c + 2], layer.seeds[c + 3]};
    dot_taps(layer.weight + c, layer.channels, taps, c, layer.depth, sums);
    for (size_t i = 0; i < 4; ++i) {
      out[c + i] = finish(layer, sums[i], layer.factors.of(c + i));
    }
  }
  for (; c < layer.channels; ++c) {
    int32_t sum = layer.seeds[c];
    for (size_t tap = 0; tap < layer.depth; ++tap) {
      sum += int32_t{layer.weight[tap * layer.channels + c]} * taps[tap][c];
    }
    out[c] = finish(layer, sum, layer.factors.of(c));
  }
}

#endif

}  // namespace cortex_m::native
