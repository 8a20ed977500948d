#include <algorithm>
#include <cstring>

#include <executorch/backends/xnnpack/runtime/products/byte_panel_x86.h>

#if defined(__x86_64__)

#define ET_AVX2 __attribute__((target("avx2,fma")))

namespace executorch {
namespace backends {
namespace xnnpack {

namespace {

/// Bytes ahead of those that are read; see kAhead in block_panel_x86.h.
constexpr size_t kBytesAhead = 6144;

/// Numbers of a row that are multiplied at once, each for sums of its own: an addition takes
/// several cycles, of which each begins two.
constexpr size_t kSums = 4;

ET_AVX2 inline __m256 weights_avx2(const int8_t* from) {
  return _mm256_cvtepi32_ps(
      _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
}

ET_AVX512 inline __m512 weights_avx512(const int8_t* from) {
  return _mm512_cvtepi32_ps(
      _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}

/// Sums of a panel's columns, not scaled; `weights` end behind those of the panel.
ET_AVX2 void sum_panel_avx2(const float* a, size_t depth, const int8_t*& weights,
                            __m256 (&out)[2]) {
  __m256 sums[kSums][2] = {};
  const auto add = [&](size_t to, float number) ET_AVX2 {
    const __m256 factor = _mm256_set1_ps(number);
    sums[to][0] = _mm256_fmadd_ps(factor, weights_avx2(weights), sums[to][0]);
    sums[to][1] = _mm256_fmadd_ps(factor, weights_avx2(weights + 8), sums[to][1]);
    weights += kBytePanelAvx2;
  };
  size_t k = 0;
  for (; k + kSums <= depth; k += kSums) {
    _mm_prefetch(reinterpret_cast<const char*>(weights) + kBytesAhead, _MM_HINT_T0);
    add(0, a[k]);
    add(1, a[k + 1]);
    add(2, a[k + 2]);
    add(3, a[k + 3]);
  }
  for (; k < depth; ++k) {
    add(0, a[k]);
  }
  for (size_t i = 0; i < 2; ++i) {
    out[i] =
        _mm256_add_ps(_mm256_add_ps(sums[0][i], sums[1][i]), _mm256_add_ps(sums[2][i], sums[3][i]));
  }
}

ET_AVX512 void sum_panel_avx512(const float* a, size_t depth, const int8_t*& weights,
                                __m512 (&out)[2]) {
  __m512 sums[kSums][2] = {};
  const auto add = [&](size_t to, float number) ET_AVX512 {
    const __m512 factor = _mm512_set1_ps(number);
    sums[to][0] = _mm512_fmadd_ps(factor, weights_avx512(weights), sums[to][0]);
    sums[to][1] = _mm512_fmadd_ps(factor, weights_avx512(weights + 16), sums[to][1]);
    weights += kBytePanel;
  };
  size_t k = 0;
  for (; k + kSums <= depth; k += kSums) {
    const char* const ahead = reinterpret_cast<const char*>(weights) + kBytesAhead;
    _mm_prefetch(ahead, _MM_HINT_T0);
    _mm_prefetch(ahead + 64, _MM_HINT_T0);
    add(0, a[k]);
    add(1, a[k + 1]);
    add(2, a[k + 2]);
    add(3, a[k + 3]);
  }
  for (; k < depth; ++k) {
    add(0, a[k]);
  }
  for (size_t i = 0; i < 2; ++i) {
    out[i] =
        _mm512_add_ps(_mm512_add_ps(sums[0][i], sums[1][i]), _mm512_add_ps(sums[2][i], sums[3][i]));
  }
}

}  // namespace

ET_AVX2 void multiply_byte_row_avx2(size_t rows, size_t columns, size_t depth_bytes, const float* a,
                                    size_t a_stride, const void* weights, float* c, size_t c_stride,
                                    size_t c_next, const xnn_byte_product_params* params) {
  (void)rows;
  (void)a_stride;
  (void)c_stride;
  const __m256 least = _mm256_set1_ps(params->min);
  const __m256 most = _mm256_set1_ps(params->max);
  const auto* panel = static_cast<const uint8_t*>(weights);
  for (size_t done = 0; done < columns; done += kBytePanelAvx2) {
    const auto* const biases = reinterpret_cast<const float*>(panel);
    const auto* bytes = reinterpret_cast<const int8_t*>(panel + kBytePanelAvx2 * sizeof(float));
    __m256 sums[2];
    sum_panel_avx2(a, depth_bytes / sizeof(float), bytes, sums);
    const auto* const scales = reinterpret_cast<const float*>(bytes);
    float out[kBytePanelAvx2];
    for (size_t i = 0; i < 2; ++i) {
      const __m256 sum = _mm256_add_ps(sums[i], _mm256_loadu_ps(biases + i * 8));
      const __m256 scaled = _mm256_mul_ps(sum, _mm256_loadu_ps(scales + i * 8));
      _mm256_storeu_ps(out + i * 8, _mm256_min_ps(most, _mm256_max_ps(least, scaled)));
    }
    std::memcpy(c, out, std::min(columns - done, kBytePanelAvx2) * sizeof(float));
    c = reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(c) + c_next);
    panel = reinterpret_cast<const uint8_t*>(scales + kBytePanelAvx2);
  }
}

ET_AVX512 void multiply_byte_row_avx512(size_t rows, size_t columns, size_t depth_bytes,
                                        const float* a, size_t a_stride, const void* weights,
                                        float* c, size_t c_stride, size_t c_next,
                                        const xnn_byte_product_params* params) {
  (void)rows;
  (void)a_stride;
  (void)c_stride;
  const __m512 least = _mm512_set1_ps(params->min);
  const __m512 most = _mm512_set1_ps(params->max);
  const auto* panel = static_cast<const uint8_t*>(weights);
  for (size_t done = 0; done < columns; done += kBytePanel) {
    const auto* const biases = reinterpret_cast<const float*>(panel);
    const auto* bytes = reinterpret_cast<const int8_t*>(panel + kBytePanel * sizeof(float));
    __m512 sums[2];
    sum_panel_avx512(a, depth_bytes / sizeof(float), bytes, sums);
    const auto* const scales = reinterpret_cast<const float*>(bytes);
    const uint64_t mask = (uint64_t{1} << std::min(columns - done, kBytePanel)) - 1;
    for (size_t i = 0; i < 2; ++i) {
      const __m512 sum = _mm512_add_ps(sums[i], _mm512_loadu_ps(biases + i * 16));
      const __m512 scaled = _mm512_mul_ps(sum, _mm512_loadu_ps(scales + i * 16));
      const __m512 out = _mm512_min_ps(most, _mm512_max_ps(least, scaled));
      _mm512_mask_storeu_ps(c + i * 16, static_cast<__mmask16>(mask >> (i * 16)), out);
    }
    c = reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(c) + c_next);
    panel = reinterpret_cast<const uint8_t*>(scales + kBytePanel);
  }
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

#endif
