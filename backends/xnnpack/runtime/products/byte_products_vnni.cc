#include <cmath>
#include <cstring>

#include <executorch/backends/xnnpack/runtime/products/byte_panel_x86.h>

#if defined(__x86_64__)

#define ET_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")))

namespace executorch {
namespace backends {
namespace xnnpack {

namespace {

/// Numbers of a row that are multiplied before integers become floats again: no sum of so many
/// overflows, and the weights of a panel stay in the first cache.
constexpr size_t kDepthAtOnce = 512;
/// Numbers that one instruction multiplies for each column.
constexpr size_t kQuad = 4;
/// Rows whose sums are in registers at once.
constexpr size_t kRowsAtOnce = 4;
/// A number is a fixed-point one of so many bytes, each from -128 to 127.
constexpr size_t kParts = 3;
/// What the largest of a row's numbers becomes: its first byte is no more than 127, rounded up too.
constexpr float kLargest = 127 * 65536;
/// Rows with numbers less than that have no reciprocal, and are multiplied as floats.
constexpr float kLeast = 1e-30F;
/// Numbers so many times as large as the mean are multiplied as floats, so that the others keep
/// their digits beside them: no more than one in so many, each time that the mean is taken.
constexpr float kFar = 16;
/// Of fewer numbers none is far from a mean that it is a part of: rows are multiplied as floats.
constexpr size_t kFewest = 64;
constexpr size_t kTimes = 2;
constexpr size_t kMostFar = kTimes * (kDepthAtOnce / size_t(kFar));

struct Work {
  alignas(64) int8_t rows[kMostByteRowsVnni][kParts][kDepthAtOnce];
  /// What sums begin with, since weights are taken plus 128.
  int32_t starts[kMostByteRowsVnni][kParts];
  /// What the last bit of a row's number stands for.
  float units[kMostByteRowsVnni];
  /// Numbers that are zeros above, and where they are.
  float far_numbers[kMostByteRowsVnni][kMostFar];
  uint16_t far_places[kMostByteRowsVnni][kMostFar];
  size_t far_counts[kMostByteRowsVnni];
  /// Rows that have no fixed point somewhere, and are multiplied anew.
  bool as_floats[kMostByteRowsVnni];
  /// Four weights of each column in turn, plus 128.
  alignas(64) uint8_t quads[kDepthAtOnce / kQuad][kBytePanel][kQuad];
  /// Of the last panel, which may not be whole.
  float last[kMostByteRowsVnni][kBytePanel];
};

ET_VNNI inline __mmask16 mask_of(size_t count) {
  return static_cast<__mmask16>((uint32_t{1} << std::min(count, kByteLanes)) - 1);
}

/// A row's magnitudes, of which those up to `limit` count.
struct Magnitudes {
  float largest;
  float total;
  size_t count;
};

/// Of what is no number, neither is the total.
ET_VNNI Magnitudes measure(const float* numbers, size_t count, float limit) {
  const __m512 limits = _mm512_set1_ps(limit);
  __m512 largest = _mm512_setzero_ps();
  __m512 total = _mm512_setzero_ps();
  size_t far_count = 0;
  for (size_t i = 0; i < count; i += kByteLanes) {
    const __m512 x = _mm512_abs_ps(_mm512_maskz_loadu_ps(mask_of(count - i), numbers + i));
    const __mmask16 is_far = _mm512_cmp_ps_mask(x, limits, _CMP_GT_OQ);
    const __m512 close = _mm512_maskz_mov_ps(static_cast<__mmask16>(~is_far), x);
    largest = _mm512_max_ps(largest, close);
    total = _mm512_add_ps(total, close);
    far_count += size_t(__builtin_popcount(is_far));
  }
  return {_mm512_reduce_max_ps(largest), _mm512_reduce_add_ps(total), count - far_count};
}

/// The magnitudes of the numbers that are not far from the others; `limit` is what these are up to.
ET_VNNI Magnitudes measure_near(const float* numbers, size_t count, float& limit) {
  limit = INFINITY;
  Magnitudes found = measure(numbers, count, limit);
  for (size_t i = 0; i < kTimes && std::isfinite(found.total); ++i) {
    const float most = kFar * (found.total / float(found.count));
    if (found.largest <= most) {
      break;
    }
    limit = most;
    found = measure(numbers, count, limit);
  }
  return found;
}

/// Notes those of sixteen numbers that are far from the others.
void note_far(const float* numbers, size_t first, unsigned is_far, size_t row, Work& work) {
  for (; is_far != 0; is_far &= is_far - 1) {
    const size_t place = first + size_t(__builtin_ctz(is_far));
    size_t& count = work.far_counts[row];
    work.far_numbers[row][count] = numbers[place];
    work.far_places[row][count++] = uint16_t(place);
  }
}

/// A row's numbers up to `limit` in fixed point, with zeros up to a whole register.
ET_VNNI void split_row(const float* numbers, size_t count, float limit, float largest, size_t row,
                       Work& work) {
  const __m512 scale = _mm512_set1_ps(kLargest / largest);
  __m512i totals[kParts] = {};
  work.far_counts[row] = 0;
  for (size_t i = 0; i < count; i += kByteLanes) {
    __m512 x = _mm512_maskz_loadu_ps(mask_of(count - i), numbers + i);
    const __mmask16 is_far =
        _mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_set1_ps(limit), _CMP_GT_OQ);
    note_far(numbers, i, is_far, row, work);
    x = _mm512_maskz_mov_ps(static_cast<__mmask16>(~is_far), x);
    __m512i rest = _mm512_cvtps_epi32(_mm512_mul_ps(x, scale));
    for (size_t part = 0; part < kParts; ++part) {
      // The lowest byte with its sign; what is left is a multiple of 256.
      const __m512i byte = _mm512_srai_epi32(_mm512_slli_epi32(rest, 24), 24);
      rest = _mm512_srai_epi32(_mm512_sub_epi32(rest, byte), 8);
      totals[part] = _mm512_add_epi32(totals[part], byte);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(work.rows[row][part] + i),
                       _mm512_cvtepi32_epi8(byte));
    }
  }
  for (size_t part = 0; part < kParts; ++part) {
    work.starts[row][part] = -128 * _mm512_reduce_add_epi32(totals[part]);
  }
  work.units[row] = largest / kLargest;
}

/// Weights of `depth` numbers by fours, with any up to a whole four.
ET_VNNI void turn_weights(const int8_t* weights, size_t depth, Work& work) {
  const __m256i sign = _mm256_set1_epi8(char(0x80));
  for (size_t k = 0; k < depth; k += kQuad) {
    __m256i of_row[kQuad];
    for (size_t i = 0; i < kQuad; ++i) {
      const int8_t* const from = weights + std::min(k + i, depth - 1) * kBytePanel;
      of_row[i] =
          _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), sign);
    }
    const __m256i pairs[2][2] = {
        {_mm256_unpacklo_epi8(of_row[0], of_row[1]), _mm256_unpacklo_epi8(of_row[2], of_row[3])},
        {_mm256_unpackhi_epi8(of_row[0], of_row[1]), _mm256_unpackhi_epi8(of_row[2], of_row[3])}};
    for (size_t i = 0; i < 4; ++i) {
      const auto& pair = pairs[i / 2];
      const __m256i quads = i % 2 == 0 ? _mm256_unpacklo_epi16(pair[0], pair[1])
                                       : _mm256_unpackhi_epi16(pair[0], pair[1]);
      // Columns [4 i, 4 i + 4), and those sixteen further.
      auto* const to = work.quads[k / kQuad][4 * i];
      _mm_store_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(quads));
      _mm_store_si128(reinterpret_cast<__m128i*>(to + kByteLanes * kQuad),
                      _mm256_extracti128_si256(quads, 1));
    }
  }
}

/// Sums of a row's parts, as floats.
ET_VNNI inline __m512 join_parts(const __m512i (&sums)[kParts]) {
  const __m512 shift = _mm512_set1_ps(256);
  const __m512 upper =
      _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums[2]), shift, _mm512_cvtepi32_ps(sums[1]));
  return _mm512_fmadd_ps(upper, shift, _mm512_cvtepi32_ps(sums[0]));
}

/// Adds the products of `kRows` rows from `row`, or begins with them.
template <size_t kRows>
ET_VNNI void add_rows(size_t row, bool begins, size_t depth, const Work& work,
                      const ByteSums& out) {
  __m512i sums[kRows][2][kParts];
  for (size_t i = 0; i < kRows; ++i) {
    for (size_t part = 0; part < kParts; ++part) {
      sums[i][0][part] = sums[i][1][part] = _mm512_set1_epi32(work.starts[row + i][part]);
    }
  }
  for (size_t k = 0; k < depth; k += kQuad) {
    const auto* const quads = work.quads[k / kQuad];
    const __m512i first = _mm512_load_si512(quads);
    const __m512i second = _mm512_load_si512(quads + kByteLanes);
    for (size_t i = 0; i < kRows; ++i) {
      for (size_t part = 0; part < kParts; ++part) {
        int32_t numbers;
        std::memcpy(&numbers, work.rows[row + i][part] + k, sizeof(numbers));
        const __m512i four = _mm512_set1_epi32(numbers);
        sums[i][0][part] = _mm512_dpbusd_epi32(sums[i][0][part], first, four);
        sums[i][1][part] = _mm512_dpbusd_epi32(sums[i][1][part], second, four);
      }
    }
  }
  for (size_t i = 0; i < kRows; ++i) {
    const __m512 unit = _mm512_set1_ps(work.units[row + i]);
    for (size_t half = 0; half < 2; ++half) {
      float* const to = out.row(row + i) + half * kByteLanes;
      const __m512 before = begins ? _mm512_setzero_ps() : _mm512_loadu_ps(to);
      _mm512_storeu_ps(to, _mm512_fmadd_ps(join_parts(sums[i][half]), unit, before));
    }
  }
}

/// Adds the products of a row's numbers that are far from the others.
ET_VNNI void add_far(size_t row, const int8_t* weights, const Work& work, const ByteSums& out) {
  for (size_t half = 0; half < kBytePanel; half += kByteLanes) {
    float* const to = out.row(row) + half;
    __m512 sum = _mm512_loadu_ps(to);
    for (size_t i = 0; i < work.far_counts[row]; ++i) {
      const int8_t* const from = weights + work.far_places[row][i] * kBytePanel + half;
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
      sum = _mm512_fmadd_ps(_mm512_set1_ps(work.far_numbers[row][i]),
                            _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes)), sum);
    }
    _mm512_storeu_ps(to, sum);
  }
}

void add_panel(size_t rows, bool begins, size_t depth, const int8_t* weights, const ByteSums& sums,
               Work& work) {
  turn_weights(weights, depth, work);
  size_t row = 0;
  for (; row + kRowsAtOnce <= rows; row += kRowsAtOnce) {
    add_rows<kRowsAtOnce>(row, begins, depth, work, sums);
  }
  switch (rows - row) {
    case 3:
      add_rows<3>(row, begins, depth, work, sums);
      break;
    case 2:
      add_rows<2>(row, begins, depth, work, sums);
      break;
    case 1:
      add_rows<1>(row, begins, depth, work, sums);
      break;
  }
  for (row = 0; row < rows; ++row) {
    if (work.far_counts[row] > 0) {
      add_far(row, weights, work, sums);
    }
  }
}

void split_rows(const ByteRows& rows, size_t first, size_t depth, Work& work) {
  for (size_t row = 0; row < rows.count; ++row) {
    const float* const numbers = rows.row(row) + first;
    float limit;
    const Magnitudes usual = measure_near(numbers, depth, limit);
    const bool has_scale = std::isfinite(usual.total) && usual.largest >= kLeast;
    // Zeros are zeros by any scale.
    work.as_floats[row] |= !has_scale && usual.total != 0;
    split_row(numbers, depth, limit, has_scale ? usual.largest : 1.0F, row, work);
  }
}

}  // namespace

void multiply_byte_rows_avx512vnni(size_t rows, size_t columns, size_t depth_bytes, const float* a,
                                   size_t a_stride, const void* weights, float* c, size_t c_stride,
                                   size_t c_next, const xnn_byte_product_params* params) {
  const size_t depth = depth_bytes / sizeof(float);
  const ByteRows all = {rows, a, a_stride};
  Work work;
  std::fill_n(work.as_floats, rows, depth < kFewest);
  if (depth >= kFewest) {
    multiply_byte_panels(all, columns, depth, kDepthAtOnce, weights, c, c_stride, c_next, *params,
                         work, split_rows, add_panel);
  }
  for (size_t row = 0; row < rows; ++row) {
    if (work.as_floats[row]) {
      multiply_byte_row_avx512(1, columns, depth_bytes, all.row(row), a_stride, weights,
                               ByteSums{c, c_stride}.row(row), c_stride, c_next, params);
    }
  }
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

#endif
