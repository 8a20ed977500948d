#include <executorch/backends/xnnpack/runtime/products/block_panel_x86.h>

#if defined(__x86_64__)

#define ET_AVX2 __attribute__((target("avx2,fma")))

namespace executorch {
namespace backends {
namespace xnnpack {

namespace {

using NarrowPanel = PanelOf<kBlockPanelAvx2>;

constexpr size_t kHalf = 64;

/// A run's weights, 0 to 15, by four of its eight columns' numbers each; columns in the order 0, 1,
/// 4, 5, 2, 3, 6, 7, in which two registers are cheaply put together.
struct Run {
  __m256i quads[kRun / 4];
};

ET_AVX2 inline __m256i together(__m256i first, __m256i second, bool odd) {
  const __m256 one = _mm256_castsi256_ps(first);
  const __m256 other = _mm256_castsi256_ps(second);
  return _mm256_castps_si256(odd ? _mm256_shuffle_ps(one, other, 0xDD)
                                 : _mm256_shuffle_ps(one, other, 0x88));
}

/// Numbers of eight columns as a run has them, or the other way round.
ET_AVX2 inline __m256 reordered(__m256 columns) {
  return _mm256_permutevar8x32_ps(columns, _mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7));
}

ET_AVX2 inline __m256i load(const uint8_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

ET_AVX2 inline Run load_run(const uint8_t* data) {
  const __m256i signs = _mm256_set1_epi8(char(0x88));
  const __m256i low = _mm256_set1_epi8(0x0F);
  Run run;
  for (size_t half = 0; half < 2; ++half, data += kHalf) {
    const __m256i first = _mm256_xor_si256(load(data), signs);
    const __m256i second = _mm256_xor_si256(load(data + 32), signs);
    const __m256i first_low = _mm256_and_si256(first, low);
    const __m256i second_low = _mm256_and_si256(second, low);
    const __m256i first_high = _mm256_and_si256(_mm256_srli_epi16(first, 4), low);
    const __m256i second_high = _mm256_and_si256(_mm256_srli_epi16(second, 4), low);
    __m256i* const quads = run.quads + half * 4;
    quads[0] = together(first_low, second_low, false);
    quads[1] = together(first_low, second_low, true);
    quads[2] = together(first_high, second_high, false);
    quads[3] = together(first_high, second_high, true);
  }
  return run;
}

ET_AVX2 inline __m256 load_scales_avx2(const uint8_t* scales) {
  const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(scales));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}

/// What a run's sum has to begin with: weights are taken plus 8.
ET_AVX2 int32_t correction_of(const int8_t* a) {
  const __m256i numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(8), numbers);
  const __m256i quads = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
  const __m128i four =
      _mm_add_epi32(_mm256_castsi256_si128(quads), _mm256_extracti128_si256(quads, 1));
  const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return -_mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xB1)));
}

/// The product of a row's run and the panel's. Sums of 16 bits hold a run: 32 / 2 products of at
/// most 15 * 128 each.
ET_AVX2 inline __m256i multiply_run(const Run& run, const int8_t* a, int32_t correction) {
  __m256i first = _mm256_maddubs_epi16(run.quads[0], _mm256_set1_epi32(load_quad(a)));
  __m256i second = _mm256_maddubs_epi16(run.quads[1], _mm256_set1_epi32(load_quad(a + 4)));
  for (size_t i = 2; i < kRun / 4; i += 2) {
    const __m256i one = _mm256_set1_epi32(load_quad(a + i * 4));
    const __m256i other = _mm256_set1_epi32(load_quad(a + i * 4 + 4));
    first = _mm256_add_epi16(first, _mm256_maddubs_epi16(run.quads[i], one));
    second = _mm256_add_epi16(second, _mm256_maddubs_epi16(run.quads[i + 1], other));
  }
  const __m256i sums = _mm256_madd_epi16(_mm256_add_epi16(first, second), _mm256_set1_epi16(1));
  return _mm256_add_epi32(sums, _mm256_set1_epi32(correction));
}

struct Rows {
  alignas(32) float totals[kMostRowsAvx2][kBlockPanelAvx2];
  int32_t corrections[kMostRowsAvx2][kMostRuns];
};

ET_AVX2 void multiply_panel(size_t rows, const int8_t* a, size_t a_stride, const NarrowPanel& panel,
                            size_t first, size_t last, Rows& work) {
  for (size_t number = first; number < last; ++number) {
    const uint8_t* const data = panel.run(number);
    _mm_prefetch(reinterpret_cast<const char*>(data) + kAhead, _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(data) + kAhead + kHalf, _MM_HINT_T0);
    const Run run = load_run(data);
    const __m256 scales = reordered(load_scales_avx2(panel.scales(number)));
    for (size_t row = 0; row < rows; ++row) {
      const __m256i product = multiply_run(run, a + row * a_stride + number * kRun,
                                           work.corrections[row][number - first]);
      float* const total = work.totals[row];
      _mm256_store_ps(total,
                      _mm256_fmadd_ps(_mm256_cvtepi32_ps(product), scales, _mm256_load_ps(total)));
    }
  }
}

ET_AVX2 void find_corrections(size_t rows, const int8_t* a, size_t a_stride, size_t first,
                              size_t last, Rows& work) {
  for (size_t row = 0; row < rows; ++row) {
    for (size_t number = first; number < last; ++number) {
      work.corrections[row][number - first] = correction_of(a + row * a_stride + number * kRun);
    }
  }
}

ET_AVX2 void store_panel(size_t rows, const Rows& work, const NarrowPanel& panel,
                         const xnn_block_product_params& params,
                         const xnn_row_quantization* quantization, float* c, size_t c_stride,
                         size_t count) {
  const __m256 biases = _mm256_loadu_ps(reinterpret_cast<const float*>(panel.biases()));
  for (size_t row = 0; row < rows; ++row) {
    const __m256 scale = _mm256_set1_ps(quantization[row].inv_scale * 16);
    __m256 out = _mm256_fmadd_ps(reordered(_mm256_load_ps(work.totals[row])), scale, biases);
    out = _mm256_max_ps(out, _mm256_set1_ps(params.min));
    out = _mm256_min_ps(out, _mm256_set1_ps(params.max));
    float* const to = row_of(c, row, c_stride);
    if (count >= kBlockPanelAvx2) {
      _mm256_storeu_ps(to, out);
    } else {
      alignas(32) float columns[kBlockPanelAvx2];
      _mm256_store_ps(columns, out);
      std::memcpy(to, columns, count * sizeof(float));
    }
  }
}

}  // namespace

ET_AVX2 void multiply_rows_avx2(size_t rows, size_t columns, size_t depth, const int8_t* a,
                                size_t a_stride, const void* weights, float* c, size_t c_stride,
                                size_t c_next, const xnn_block_product_params* params,
                                const xnn_row_quantization* quantization) {
  NarrowPanel panel = {static_cast<const uint8_t*>(weights), depth, params->blocksize};
  Rows work;
  const bool is_short = panel.runs() <= kMostRuns;
  if (is_short) {
    find_corrections(rows, a, a_stride, 0, panel.runs(), work);
  }
  for (size_t done = 0; done < columns; done += kBlockPanelAvx2) {
    const __m256 sums = reordered(_mm256_loadu_ps(panel.sums()));
    for (size_t row = 0; row < rows; ++row) {
      // Scales are those of a sixteenth.
      const float zero_point = float(quantization[row].zero_point) / 16;
      _mm256_store_ps(work.totals[row], _mm256_mul_ps(sums, _mm256_set1_ps(zero_point)));
    }
    for (size_t first = 0; first < panel.runs(); first += kMostRuns) {
      const size_t last = std::min(first + kMostRuns, panel.runs());
      if (!is_short) {
        find_corrections(rows, a, a_stride, first, last, work);
      }
      multiply_panel(rows, a, a_stride, panel, first, last, work);
    }
    store_panel(rows, work, panel, *params, quantization, c, c_stride, columns - done);
    c = row_of(c, 1, c_next);
    panel.data = panel.end();
  }
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

#endif
