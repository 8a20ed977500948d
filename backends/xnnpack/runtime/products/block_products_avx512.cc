#include <executorch/backends/xnnpack/runtime/products/block_panel_x86.h>

#if defined(__x86_64__)

namespace executorch {
namespace backends {
namespace xnnpack {

namespace {

/// A run's weights, 0 to 15, by four of its sixteen columns' numbers each.
struct Run {
  __m512i quads[kRun / 4];
};

ET_AVX512VNNI inline Run load_run(const uint8_t* data) {
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  const __m512i signs = _mm512_set1_epi8(char(0x88));
  const __m512i low = _mm512_set1_epi8(0x0F);
  Run run;
  for (size_t half = 0; half < 2; ++half) {
    const __m512i first = _mm512_xor_si512(_mm512_loadu_si512(data + half * 128), signs);
    const __m512i second = _mm512_xor_si512(_mm512_loadu_si512(data + half * 128 + 64), signs);
    const __m512i first_low = _mm512_and_si512(first, low);
    const __m512i second_low = _mm512_and_si512(second, low);
    const __m512i first_high = _mm512_and_si512(_mm512_srli_epi16(first, 4), low);
    const __m512i second_high = _mm512_and_si512(_mm512_srli_epi16(second, 4), low);
    __m512i* const quads = run.quads + half * 4;
    quads[0] = _mm512_permutex2var_epi32(first_low, even, second_low);
    quads[1] = _mm512_permutex2var_epi32(first_low, odd, second_low);
    quads[2] = _mm512_permutex2var_epi32(first_high, even, second_high);
    quads[3] = _mm512_permutex2var_epi32(first_high, odd, second_high);
  }
  return run;
}

/// What a run's sum has to begin with: weights are taken plus 8.
ET_AVX512VNNI int32_t correction_of(const int8_t* a) {
  const __m256i numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
  const __m256i quads = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(8), numbers);
  const __m128i pairs =
      _mm_add_epi32(_mm256_castsi256_si128(quads), _mm256_extracti128_si256(quads, 1));
  const __m128i two = _mm_add_epi32(pairs, _mm_shuffle_epi32(pairs, 0x4E));
  return -_mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xB1)));
}

/// The product of a row's run and the panel's.
ET_AVX512VNNI inline __m512i multiply_run(const Run& run, const int8_t* a, int32_t correction) {
  __m512i first = _mm512_set1_epi32(correction);
  __m512i second = _mm512_setzero_si512();
  for (size_t i = 0; i < kRun / 4; i += 2) {
    first = _mm512_dpbusd_epi32(first, run.quads[i], _mm512_set1_epi32(load_quad(a + i * 4)));
    second =
        _mm512_dpbusd_epi32(second, run.quads[i + 1], _mm512_set1_epi32(load_quad(a + i * 4 + 4)));
  }
  return _mm512_add_epi32(first, second);
}

/// Sixteen numbers of a row, eight and eight, by those of a panel's columns.
struct RowSums {
  __m512i low[2];
  __m512i high[2];
};

/// Adds the products of sixteen weights; those of a row are taken plus 128.
ET_AVX512VNNI inline void add_products(RowSums& sums, const uint8_t* data, const int8_t* a) {
  const __m512i mask = _mm512_set1_epi8(char(0xF0));
  const __m512i signs = _mm512_set1_epi8(char(0x80));
  int64_t numbers[2];
  std::memcpy(numbers, a, sizeof(numbers));
  const __m512i first = _mm512_xor_si512(_mm512_set1_epi64(numbers[0]), signs);
  const __m512i second = _mm512_xor_si512(_mm512_set1_epi64(numbers[1]), signs);
  for (size_t half = 0; half < 2; ++half) {
    const __m512i pairs = _mm512_loadu_si512(data + half * 64);
    const __m512i low = _mm512_and_si512(_mm512_slli_epi16(pairs, 4), mask);
    sums.low[half] = _mm512_dpbusd_epi32(sums.low[half], first, low);
    sums.high[half] = _mm512_dpbusd_epi32(sums.high[half], second, _mm512_and_si512(pairs, mask));
  }
}

/// Sums of columns, of which each lane has one half.
ET_AVX512VNNI inline __m512i columns_of(const RowSums& sums) {
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  const __m512i first = _mm512_add_epi32(sums.low[0], sums.high[0]);
  const __m512i second = _mm512_add_epi32(sums.low[1], sums.high[1]);
  return _mm512_add_epi32(_mm512_permutex2var_epi32(first, even, second),
                          _mm512_permutex2var_epi32(first, odd, second));
}

}  // namespace

ET_AVX512VNNI void multiply_row_avx512vnni(size_t rows, size_t columns, size_t depth,
                                           const int8_t* a, size_t a_stride, const void* weights,
                                           float* c, size_t c_stride, size_t c_next,
                                           const xnn_block_product_params* params,
                                           const xnn_row_quantization* quantization) {
  (void)rows, (void)a_stride, (void)c_stride;
  Panel panel = {static_cast<const uint8_t*>(weights), depth, params->blocksize};
  const __m512 zero_point = _mm512_set1_ps(float(quantization->zero_point + 128));
  for (size_t done = 0; done < columns; done += kBlockPanel) {
    __m512 total = _mm512_mul_ps(_mm512_loadu_ps(panel.sums()), zero_point);
    const uint8_t* data = panel.of_block(0);
    for (size_t k = 0; k < depth; k += params->blocksize) {
      RowSums sums = {};
      for (size_t i = 0; i < params->blocksize; i += 16, data += 128) {
        _mm_prefetch(reinterpret_cast<const char*>(data) + kAhead, _MM_HINT_T0);
        _mm_prefetch(reinterpret_cast<const char*>(data) + kAhead + 64, _MM_HINT_T0);
        add_products(sums, data, a + k + i);
      }
      total = _mm512_fmadd_ps(_mm512_cvtepi32_ps(columns_of(sums)), load_scales(data), total);
      data += kBlockPanel * sizeof(uint16_t);
    }
    store_row(total, quantization->inv_scale, panel, *params, c, columns - done);
    c = row_of(c, 1, c_next);
    panel.data = panel.end();
  }
}

namespace {

struct Rows {
  alignas(64) float totals[kMostRowsAvx512vnni][kBlockPanel];
  int32_t corrections[kMostRowsAvx512vnni][kMostRuns];
};

ET_AVX512VNNI void multiply_panel(size_t rows, const int8_t* a, size_t a_stride, const Panel& panel,
                                  Rows& work, const xnn_row_quantization* quantization) {
  const __m512 sums = _mm512_loadu_ps(panel.sums());
  for (size_t row = 0; row < rows; ++row) {
    // Scales are those of a sixteenth.
    const float zero_point = float(quantization[row].zero_point) / 16;
    _mm512_store_ps(work.totals[row], _mm512_mul_ps(sums, _mm512_set1_ps(zero_point)));
  }
  for (size_t number = 0; number < panel.runs(); ++number) {
    const Run run = load_run(panel.run(number));
    const __m512 scales = load_scales(panel.scales(number));
    for (size_t row = 0; row < rows; ++row) {
      const __m512i product =
          multiply_run(run, a + row * a_stride + number * kRun, work.corrections[row][number]);
      float* const total = work.totals[row];
      _mm512_store_ps(total,
                      _mm512_fmadd_ps(_mm512_cvtepi32_ps(product), scales, _mm512_load_ps(total)));
    }
  }
}

}  // namespace

ET_AVX512VNNI void multiply_rows_avx512vnni(size_t rows, size_t columns, size_t depth,
                                            const int8_t* a, size_t a_stride, const void* weights,
                                            float* c, size_t c_stride, size_t c_next,
                                            const xnn_block_product_params* params,
                                            const xnn_row_quantization* quantization) {
  Panel panel = {static_cast<const uint8_t*>(weights), depth, params->blocksize};
  if (panel.runs() > kMostRuns) {
    for (size_t row = 0; row < rows; ++row) {
      multiply_row_avx512vnni(1, columns, depth, a + row * a_stride, a_stride, weights,
                              row_of(c, row, c_stride), c_stride, c_next, params,
                              quantization + row);
    }
    return;
  }
  Rows work;
  for (size_t row = 0; row < rows; ++row) {
    for (size_t number = 0; number < panel.runs(); ++number) {
      work.corrections[row][number] = correction_of(a + row * a_stride + number * kRun);
    }
  }
  for (size_t done = 0; done < columns; done += kBlockPanel) {
    multiply_panel(rows, a, a_stride, panel, work, quantization);
    for (size_t row = 0; row < rows; ++row) {
      store_row(_mm512_load_ps(work.totals[row]), quantization[row].inv_scale * 16, panel, *params,
                row_of(c, row, c_stride), columns - done);
    }
    c = row_of(c, 1, c_next);
    panel.data = panel.end();
  }
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

#endif
