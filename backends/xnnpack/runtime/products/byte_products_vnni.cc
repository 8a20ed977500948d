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

struct alignas(64) Work {
  int8_t rows[kMostByteRowsVnni][kParts][kDepthAtOnce];
  /// What sums begin with, since weights are taken plus 128.
  int32_t starts[kMostByteRowsVnni][kParts];
  /// What the last bit of a row's number stands for.
  float units[kMostByteRowsVnni];
  /// Four weights of each column in turn, plus 128.
  uint8_t quads[kDepthAtOnce / kQuad][kBytePanel][kQuad];
  /// Of the last panel, which may not be whole.
  float last[kMostByteRowsVnni][kBytePanel];
};

ET_VNNI inline __mmask16 mask_of(size_t count) {
  return static_cast<__mmask16>((uint32_t{1} << std::min(count, kByteLanes)) - 1);
}

/// The largest magnitude, or what is not finite.
ET_VNNI float largest_of(const float* numbers, size_t count) {
  __m512 most = _mm512_setzero_ps();
  __mmask16 no_numbers = 0;
  for (size_t i = 0; i < count; i += kByteLanes) {
    const __m512 x = _mm512_maskz_loadu_ps(mask_of(count - i), numbers + i);
    most = _mm512_max_ps(most, _mm512_abs_ps(x));
    no_numbers |= _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  }
  return no_numbers == 0 ? _mm512_reduce_max_ps(most) : NAN;
}

/// A row's numbers in fixed point, with zeros up to a whole register.
ET_VNNI void split_row(const float* numbers, size_t count, float largest, size_t row, Work& work) {
  const __m512 scale = _mm512_set1_ps(kLargest / largest);
  __m512i totals[kParts] = {};
  for (size_t i = 0; i < count; i += kByteLanes) {
    const __m512 x = _mm512_maskz_loadu_ps(mask_of(count - i), numbers + i);
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

void add_panel(size_t rows, bool begins, size_t depth, const int8_t* weights, const ByteSums& sums,
               Work& work) {
  turn_weights(weights, depth, work);
  size_t row = 0;
  for (; row + kRowsAtOnce <= rows; row += kRowsAtOnce) {
    add_rows<kRowsAtOnce>(row, begins, depth, work, sums);
  }
  switch (rows - row) {
    case 3:
      return add_rows<3>(row, begins, depth, work, sums);
    case 2:
      return add_rows<2>(row, begins, depth, work, sums);
    case 1:
      return add_rows<1>(row, begins, depth, work, sums);
  }
}

/// Fixed point is as exact as floats for them: finite, and none so small that only floats have it.
bool has_fixed_point(const float* numbers, size_t depth) {
  for (size_t first = 0; first < depth; first += kDepthAtOnce) {
    const float largest = largest_of(numbers + first, std::min(kDepthAtOnce, depth - first));
    if (!std::isfinite(largest) || (largest > 0 && largest < kLeast)) {
      return false;
    }
  }
  return true;
}

void split_rows(const ByteRows& rows, size_t first, size_t depth, Work& work) {
  for (size_t row = 0; row < rows.count; ++row) {
    const float* const numbers = rows.row(row) + first;
    const float largest = largest_of(numbers, depth);
    // Zeros stay zeros by any scale, and rows without fixed points are multiplied anew.
    split_row(numbers, depth, largest >= kLeast ? largest : 1.0F, row, work);
  }
}

}  // namespace

void multiply_byte_rows_avx512vnni(size_t rows, size_t columns, size_t depth_bytes, const float* a,
                                   size_t a_stride, const void* weights, float* c, size_t c_stride,
                                   size_t c_next, const xnn_byte_product_params* params) {
  const size_t depth = depth_bytes / sizeof(float);
  const ByteRows all = {rows, a, a_stride};
  Work work;
  multiply_byte_panels(all, columns, depth, kDepthAtOnce, weights, c, c_stride, c_next, *params,
                       work, split_rows, add_panel);
  for (size_t row = 0; row < rows; ++row) {
    if (!has_fixed_point(all.row(row), depth)) {
      multiply_byte_row_avx512(1, columns, depth_bytes, all.row(row), a_stride, weights,
                               ByteSums{c, c_stride}.row(row), c_stride, c_next, params);
    }
  }
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

#endif
