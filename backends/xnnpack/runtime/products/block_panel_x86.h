#pragma once

// What the products of block_products_avx512.cc and block_products_amx.cc have in common.

#include <algorithm>
#include <cstring>

#include <executorch/backends/xnnpack/runtime/products/block_products_x86.h>

#if defined(__x86_64__)

#include <immintrin.h>

#define ET_AVX512VNNI \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")))

namespace executorch {
namespace backends {
namespace xnnpack {

/// Weights of a column that are multiplied at once; a block has a whole number of such runs.
constexpr size_t kRun = 32;

/// Bytes ahead of those that are read: what a core has to ask for early to read from memory or a
/// large third cache as fast as it can (10.9 GB/s at 512 bytes, 15.8 at 4,096 on Sapphire Rapids).
constexpr size_t kAhead = 6144;

/// Deepest rows whose corrections fit on the stack, in runs.
constexpr size_t kMostRuns = 512;

/// Where things lie in a panel of `kColumns`.
template <size_t kColumns>
struct PanelOf {
  const uint8_t* data;
  size_t depth;
  size_t block;

  size_t block_bytes() const { return kColumns * (block / 2 + sizeof(uint16_t)); }
  size_t runs() const { return depth / kRun; }
  const float* sums() const { return reinterpret_cast<const float*>(data); }
  const uint8_t* of_block(size_t number) const {
    return data + kColumns * sizeof(float) + number * block_bytes();
  }
  /// The block of a run. Most blocks are a run, and a division takes as long as its products.
  size_t block_of(size_t number) const { return block == kRun ? number : number / (block / kRun); }
  const uint8_t* run(size_t number) const {
    const size_t in_block = block_of(number);
    return of_block(in_block) + (number - in_block * (block / kRun)) * kColumns * kRun / 2;
  }
  const uint8_t* scales(size_t number) const {
    return of_block(block_of(number)) + kColumns * block / 2;
  }
  const uint8_t* biases() const { return of_block(depth / block); }
  const uint8_t* end() const { return biases() + kColumns * sizeof(float); }
};

using Panel = PanelOf<kBlockPanel>;

/// Sixteen scales as floating-point numbers.
ET_AVX512VNNI inline __m512 load_scales(const uint8_t* scales) {
  const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(scales));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

/// Sixteen columns of one row: scaled, with biases, within the limits; the first `count` are
/// stored.
ET_AVX512VNNI inline void store_row(__m512 sums, float scale, const Panel& panel,
                                    const xnn_block_product_params& params, float* c,
                                    size_t count) {
  const __m512 biases = _mm512_loadu_ps(panel.biases());
  __m512 out = _mm512_fmadd_ps(sums, _mm512_set1_ps(scale), biases);
  out = _mm512_max_ps(out, _mm512_set1_ps(params.min));
  out = _mm512_min_ps(out, _mm512_set1_ps(params.max));
  const auto mask = static_cast<__mmask16>((uint32_t{1} << std::min(count, kBlockPanel)) - 1);
  _mm512_mask_storeu_ps(c, mask, out);
}

inline int32_t load_quad(const int8_t* from) {
  int32_t quad;
  std::memcpy(&quad, from, sizeof(quad));
  return quad;
}

inline float* row_of(float* c, size_t row, size_t stride) {
  return reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(c) + row * stride);
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

#endif
