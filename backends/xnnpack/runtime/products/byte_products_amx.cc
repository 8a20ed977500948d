#include <cstring>

#include <executorch/backends/xnnpack/runtime/products/amx_tiles.h>
#include <executorch/backends/xnnpack/runtime/products/byte_panel_x86.h>

#if defined(__x86_64__)

#define ET_AMX                                                                \
  __attribute__((                                                             \
      target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,amx-tile,amx-int8," \
             "amx-bf16")))

namespace executorch {
namespace backends {
namespace xnnpack {

namespace {

constexpr size_t kTileRows = 16;
constexpr size_t kLine = 64;
/// Numbers of a row that are in a tile, and those that are multiplied before sums leave the tiles.
constexpr size_t kTileDepth = 32;
constexpr size_t kDepthAtOnce = 256;
/// A float is the sum of so many numbers of bfloat16.
constexpr size_t kParts = 3;

struct alignas(64) Work {
  uint16_t rows[kParts][kMostByteRowsAmx][kDepthAtOnce];
  /// Pairs of weights, of the first sixteen columns and of the others.
  uint32_t pairs[2][kTileRows][kTileRows];
  /// Of the last panel, which may not be whole.
  float last[kMostByteRowsAmx][kBytePanel];
};

// Tiles 0 and 1 have sums of the first sixteen rows, 2 and 3 of the others; 4 and 5 the rows
// themselves, 6 and 7 weights: numbers that the instructions have in them.
ET_AMX void configure_tiles(size_t rows) {
  TileConfig config = {};
  config.palette = 1;
  const auto first = uint8_t(std::min(rows, kTileRows));
  const auto second = uint8_t(rows - first);
  for (const size_t tile : {0U, 1U, 4U}) {
    config.rows[tile] = first;
  }
  for (const size_t tile : {2U, 3U, 5U}) {
    config.rows[tile] = second;
  }
  for (const size_t tile : {6U, 7U}) {
    config.rows[tile] = kTileRows;
  }
  for (size_t tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = config.rows[tile] == 0 ? 0 : uint16_t(kLine);
  }
  _tile_loadconfig(&config);
}

/// The upper half of each float; the rest of it is exact. What is not finite has no rest.
ET_AMX inline __m256i take_part(__m512& x) {
  const __m512i bits = _mm512_castps_si512(x);
  __m512i upper = _mm512_and_si512(bits, _mm512_set1_epi32(int32_t(0xFFFF0000U)));
  // NaN whose upper half alone would be infinite.
  const __mmask16 is_nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  upper = _mm512_mask_mov_epi32(upper, is_nan, _mm512_set1_epi32(0x7FC00000));
  const __m512 rest = _mm512_sub_ps(x, _mm512_castsi512_ps(upper));
  x = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(rest, rest, _CMP_ORD_Q), rest);
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(upper, 16));
}

/// Numbers [first, first + depth) of the rows as parts, with zeros up to a whole tile.
ET_AMX void split_rows(const ByteRows& rows, size_t first, size_t depth, Work& work) {
  for (size_t row = 0; row < rows.count; ++row) {
    const float* const from = rows.row(row) + first;
    for (size_t k = 0; k < depth; k += kTileDepth) {
      for (size_t half = k; half < k + kTileDepth; half += 16) {
        const size_t count = half < depth ? std::min(depth - half, size_t{16}) : 0;
        const auto mask = static_cast<__mmask16>((uint32_t{1} << count) - 1);
        __m512 x = _mm512_maskz_loadu_ps(mask, from + half);
        for (auto& part : work.rows) {
          _mm256_store_si256(reinterpret_cast<__m256i*>(part[row] + half), take_part(x));
        }
      }
    }
  }
}

ET_AMX inline __m512i bits_of(const int8_t* weights) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(weights));
  return _mm512_castps_si512(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes)));
}

/// Weights of `depth` numbers, up to kTileDepth, as pairs of bfloat16.
ET_AMX inline void pair_weights(const int8_t* weights, size_t depth, Work& work) {
  for (size_t k = 0; k < kTileDepth; k += 2, weights += 2 * kBytePanel) {
    for (size_t half = 0; half < 2; ++half) {
      const int8_t* const from = weights + half * kTileRows;
      const __m512i even = k < depth ? bits_of(from) : _mm512_setzero_si512();
      const __m512i odd = k + 1 < depth ? bits_of(from + kBytePanel) : _mm512_setzero_si512();
      // Lower halves are zeros: weights are short.
      const __m512i both = _mm512_or_si512(_mm512_srli_epi32(even, 16), odd);
      _mm512_store_si512(work.pairs[half][k / 2], both);
    }
  }
}

/// Adds the products of all parts of a tile's depth; `k` is where in `work.rows` they are.
ET_AMX inline void multiply_tiles(bool has_second, size_t k, const Work& work) {
  constexpr size_t kStride = sizeof(work.rows[0][0]);
  _tile_loadd(6, work.pairs[0], kLine);
  _tile_loadd(7, work.pairs[1], kLine);
  for (const auto& part : work.rows) {
    _tile_loadd(4, &part[0][k], kStride);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if (has_second) {
      _tile_loadd(5, &part[kTileRows][k], kStride);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
}

ET_AMX inline void load_sums(bool has_second, const float* sums, size_t stride) {
  const auto* const second = reinterpret_cast<const uint8_t*>(sums) + kTileRows * stride;
  _tile_loadd(0, sums, stride);
  _tile_loadd(1, sums + kTileRows, stride);
  if (has_second) {
    _tile_loadd(2, second, stride);
    _tile_loadd(3, second + kLine, stride);
  }
}

ET_AMX inline void store_sums(bool has_second, float* sums, size_t stride) {
  auto* const second = reinterpret_cast<uint8_t*>(sums) + kTileRows * stride;
  _tile_stored(0, sums, stride);
  _tile_stored(1, sums + kTileRows, stride);
  if (has_second) {
    _tile_stored(2, second, stride);
    _tile_stored(3, second + kLine, stride);
  }
}

/// Adds the products of `depth` numbers to the sums of a panel, or begins with them.
ET_AMX void add_panel(size_t rows, bool begins, size_t depth, const int8_t* weights,
                      const ByteSums& sums, Work& work) {
  const bool has_second = rows > kTileRows;
  if (begins) {
    _tile_zero(0);
    _tile_zero(1);
    if (has_second) {
      _tile_zero(2);
      _tile_zero(3);
    }
  } else {
    load_sums(has_second, sums.data, sums.stride);
  }
  for (size_t k = 0; k < depth; k += kTileDepth) {
    pair_weights(weights + k * kBytePanel, std::min(kTileDepth, depth - k), work);
    multiply_tiles(has_second, k, work);
  }
  store_sums(has_second, sums.data, sums.stride);
}

}  // namespace

ET_AMX void multiply_byte_rows_amx(size_t rows, size_t columns, size_t depth_bytes, const float* a,
                                   size_t a_stride, const void* weights, float* c, size_t c_stride,
                                   size_t c_next, const xnn_byte_product_params* params) {
  Work work;
  configure_tiles(rows);
  multiply_byte_panels(ByteRows{rows, a, a_stride}, columns, depth_bytes / sizeof(float),
                       kDepthAtOnce, weights, c, c_stride, c_next, *params, work, split_rows,
                       add_panel);
  // Its state would be saved whenever the system changes threads.
  _tile_release();
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

#endif
