#include <executorch/backends/xnnpack/runtime/products/amx_tiles.h>
#include <executorch/backends/xnnpack/runtime/products/block_panel_x86.h>

#if defined(__x86_64__)

#define ET_AMX                                                                  \
  __attribute__((                                                               \
      target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,amx-tile," \
             "amx-int8")))

namespace executorch {
namespace backends {
namespace xnnpack {

namespace {

constexpr size_t kTileRows = 16;
constexpr size_t kLine = 64;

/// Runs whose products are found before any is added up, so that the unit for tiles need not wait
/// for the one for vectors.
constexpr size_t kRunsAtOnce = 8;

struct alignas(64) Work {
  /// Weights times 16, by four numbers of the sixteen columns.
  int8_t runs[kRunsAtOnce][kRun / 4][kLine];
  int32_t products[kRunsAtOnce][kMostRowsAmx][kBlockPanel];
  float totals[kMostRowsAmx][kBlockPanel];
};

// Tiles 0 and 2 have products of the first sixteen rows, 1 and 3 of the others; 4 and 5 the rows
// themselves, 6 and 7 weights: numbers that the instructions have in them.
ET_AMX void configure_tiles(size_t rows) {
  TileConfig config = {};
  config.palette = 1;
  const size_t of_first = std::min(rows, kTileRows);
  const size_t of_second = rows - of_first;
  for (const size_t tile : {size_t{0}, size_t{2}, size_t{4}}) {
    config.rows[tile] = uint8_t(of_first);
    config.rows[tile + 1] = uint8_t(of_second);
    const size_t bytes = tile == 4 ? kRun : kLine;
    config.row_bytes[tile] = uint16_t(bytes);
    config.row_bytes[tile + 1] = uint16_t(of_second == 0 ? 0 : bytes);
  }
  for (const size_t tile : {6, 7}) {
    config.rows[tile] = kRun / 4;
    config.row_bytes[tile] = kLine;
  }
  _tile_loadconfig(&config);
}

ET_AMX inline void unpack_run(const uint8_t* data, int8_t (*quads)[kLine]) {
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  const __m512i mask = _mm512_set1_epi8(char(0xF0));
  for (size_t half = 0; half < 2; ++half, quads += 4) {
    const __m512i first = _mm512_loadu_si512(data + half * 2 * kLine);
    const __m512i second = _mm512_loadu_si512(data + half * 2 * kLine + kLine);
    const __m512i first_low = _mm512_and_si512(_mm512_slli_epi16(first, 4), mask);
    const __m512i second_low = _mm512_and_si512(_mm512_slli_epi16(second, 4), mask);
    const __m512i first_high = _mm512_and_si512(first, mask);
    const __m512i second_high = _mm512_and_si512(second, mask);
    _mm512_store_si512(quads[0], _mm512_permutex2var_epi32(first_low, even, second_low));
    _mm512_store_si512(quads[1], _mm512_permutex2var_epi32(first_low, odd, second_low));
    _mm512_store_si512(quads[2], _mm512_permutex2var_epi32(first_high, even, second_high));
    _mm512_store_si512(quads[3], _mm512_permutex2var_epi32(first_high, odd, second_high));
  }
}

/// Products of the rows by a run of weights; PARITY takes the other tiles, so that the products of
/// one run are stored while those of the next are found.
template <int kParity>
ET_AMX inline void multiply_run(const int8_t* a, size_t a_stride, bool has_second,
                                const int8_t* weights) {
  const int8_t* const second = a + kTileRows * a_stride;
  _tile_loadd(4, a, a_stride);
  if constexpr (kParity == 0) {
    _tile_loadd(6, weights, kLine);
    _tile_zero(0);
    _tile_dpbssd(0, 4, 6);
    if (has_second) {
      _tile_loadd(5, second, a_stride);
      _tile_zero(1);
      _tile_dpbssd(1, 5, 6);
    }
  } else {
    _tile_loadd(7, weights, kLine);
    _tile_zero(2);
    _tile_dpbssd(2, 4, 7);
    if (has_second) {
      _tile_loadd(5, second, a_stride);
      _tile_zero(3);
      _tile_dpbssd(3, 5, 7);
    }
  }
}

template <int kParity>
ET_AMX inline void store_run(bool has_second, int32_t* products) {
  int32_t* const second = products + kTileRows * kBlockPanel;
  if constexpr (kParity == 0) {
    _tile_stored(0, products, kLine);
    if (has_second) {
      _tile_stored(1, second, kLine);
    }
  } else {
    _tile_stored(2, products, kLine);
    if (has_second) {
      _tile_stored(3, second, kLine);
    }
  }
}

/// Finds the products of `count` runs; `a` is where the rows have the first.
ET_AMX void multiply_runs(bool has_second, const int8_t* a, size_t a_stride, size_t count,
                          Work& work) {
  for (size_t i = 0; i < count; i += 2) {
    multiply_run<0>(a + i * kRun, a_stride, has_second, work.runs[i][0]);
    if (i > 0) {
      store_run<1>(has_second, work.products[i - 1][0]);
    }
    if (i + 1 < count) {
      multiply_run<1>(a + (i + 1) * kRun, a_stride, has_second, work.runs[i + 1][0]);
    }
    store_run<0>(has_second, work.products[i][0]);
  }
  if (count % 2 == 0) {
    store_run<1>(has_second, work.products[count - 1][0]);
  }
}

/// Adds the products of runs `first` to `last` to the totals.
ET_AMX void add_runs(size_t rows, const int8_t* a, size_t a_stride, const Panel& panel,
                     size_t first, size_t last, Work& work) {
  const size_t count = last - first;
  __m512 scales[kRunsAtOnce];
  for (size_t i = 0; i < count; ++i) {
    unpack_run(panel.run(first + i), work.runs[i]);
    scales[i] = load_scales(panel.scales(first + i));
  }
  multiply_runs(rows > kTileRows, a + first * kRun, a_stride, count, work);
  for (size_t row = 0; row < rows; ++row) {
    __m512 total = _mm512_load_ps(work.totals[row]);
    for (size_t i = 0; i < count; ++i) {
      const __m512i product = _mm512_load_si512(work.products[i][row]);
      total = _mm512_fmadd_ps(_mm512_cvtepi32_ps(product), scales[i], total);
    }
    _mm512_store_ps(work.totals[row], total);
  }
}

}  // namespace

ET_AMX void multiply_rows_amx(size_t rows, size_t columns, size_t depth, const int8_t* a,
                              size_t a_stride, const void* weights, float* c, size_t c_stride,
                              size_t c_next, const xnn_block_product_params* params,
                              const xnn_row_quantization* quantization) {
  Panel panel = {static_cast<const uint8_t*>(weights), depth, params->blocksize};
  Work work;
  configure_tiles(rows);
  for (size_t done = 0; done < columns; done += kBlockPanel) {
    const __m512 sums = _mm512_loadu_ps(panel.sums());
    for (size_t row = 0; row < rows; ++row) {
      const __m512 zero_point = _mm512_set1_ps(float(quantization[row].zero_point));
      _mm512_store_ps(work.totals[row], _mm512_mul_ps(sums, zero_point));
    }
    for (size_t first = 0; first < panel.runs(); first += kRunsAtOnce) {
      add_runs(rows, a, a_stride, panel, first, std::min(first + kRunsAtOnce, panel.runs()), work);
    }
    for (size_t row = 0; row < rows; ++row) {
      store_row(_mm512_load_ps(work.totals[row]), quantization[row].inv_scale, panel, *params,
                row_of(c, row, c_stride), columns - done);
    }
    c = row_of(c, 1, c_next);
    panel.data = panel.end();
  }
  // Its state would be saved whenever the system changes threads.
  _tile_release();
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

#endif
