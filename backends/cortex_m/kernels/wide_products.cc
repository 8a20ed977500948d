#include <cstring>

#include <executorch/backends/cortex_m/kernels/products.h>

namespace cortex_m::native {

namespace {

#if EXECUTORCH_CORTEX_M_MVE

int64_t dot(const int8_t* w, const int16_t* x, size_t depth) {
  int64_t sum = 0;
  for (size_t i = 0; i < depth; i += 8) {
    const mve_pred16_t lanes = vctp16q(static_cast<uint32_t>(depth - i));
    sum = vmlaldavaq_p_s16(sum, vldrbq_z_s16(w + i, lanes), vldrhq_z_s16(x + i, lanes), lanes);
  }
  return sum;
}

#else  // no MVE

/// So many products of the least of int16 and of int8 fit 32 bits.
constexpr size_t kBlock = 256;

#if EXECUTORCH_CORTEX_M_DSP

inline uint32_t word_at(const void* from) {
  uint32_t word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

int32_t dot_block(const int8_t* w, const int16_t* x, size_t n) {
  int32_t sum = 0;
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const uint32_t weights = word_at(w + i);
    const uint32_t x01 = word_at(x + i);
    const uint32_t x23 = word_at(x + i + 2);
    // Weights are widened in the order 0, 2 and 1, 3.
    const uint32_t x02 = (x01 & 0xFFFF) | (x23 << 16);
    const uint32_t x13 = (x01 >> 16) | (x23 & 0xFFFF0000);
    sum = __smlad(__sxtb16(static_cast<int8x4_t>(weights)), static_cast<int16x2_t>(x02), sum);
    sum = __smlad(__sxtb16(static_cast<int8x4_t>(__ror(weights, 8))), static_cast<int16x2_t>(x13),
                  sum);
  }
  for (; i < n; ++i) {
    sum += w[i] * x[i];
  }
  return sum;
}

#else  // neither

int32_t dot_block(const int8_t* w, const int16_t* x, size_t n) {
  int32_t sum = 0;
  for (size_t i = 0; i < n; ++i) {
    sum += int32_t{w[i]} * x[i];
  }
  return sum;
}

#endif

int64_t dot(const int8_t* w, const int16_t* x, size_t depth) {
  int64_t sum = 0;
  for (size_t i = 0; i < depth; i += kBlock) {
    sum += dot_block(w + i, x + i, depth - i < kBlock ? depth - i : kBlock);
  }
  return sum;
}

#endif

}  // namespace

void multiply_row(const Layer& given, const int16_t* row, int16_t* out) {
  const Layer layer = given;  // no store changes it
  const int8_t* w = layer.weight;
  for (size_t c = 0; c < layer.channels; ++c, w += layer.depth) {
    const int64_t bias = layer.seeds == nullptr ? 0 : layer.seeds[c];
    out[c] = finish_wide(dot(w, row, layer.depth) + bias, layer.factors.of(c), layer.output);
  }
}

}  // namespace cortex_m::native
