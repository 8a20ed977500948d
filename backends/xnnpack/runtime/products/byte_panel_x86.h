#pragma once

// What the products of byte_products_amx.cc and byte_products_vnni.cc have in common: many rows are
// cut into parts, so many of their numbers at once, and sums of a panel grow where results belong.

#include <algorithm>

#include <executorch/backends/xnnpack/runtime/products/byte_products_x86.h>

#if defined(__x86_64__)

#include <immintrin.h>

#define ET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")))

namespace executorch {
namespace backends {
namespace xnnpack {

/// Columns whose sums are in one register.
constexpr size_t kByteLanes = 16;

/// Where rows are, and how many of them; strides in bytes.
struct ByteRows {
  size_t count;
  const float* data;
  size_t stride;

  const float* row(size_t number) const {
    return reinterpret_cast<const float*>(reinterpret_cast<const uint8_t*>(data) + number * stride);
  }
};

/// Where sums of a panel are.
struct ByteSums {
  float* data;
  size_t stride;

  float* row(size_t number) const {
    return reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(data) + number * stride);
  }
};

/// Sums of a panel with biases, scaled, within the limits, to where the results belong.
ET_AVX512 inline void finish_byte_panel(size_t rows, size_t columns, const float* biases,
                                        const float* scales, const xnn_byte_product_params& params,
                                        const ByteSums& sums, const ByteSums& out) {
  const uint64_t mask = (uint64_t{1} << std::min(columns, kBytePanel)) - 1;
  const __m512 least = _mm512_set1_ps(params.min);
  const __m512 most = _mm512_set1_ps(params.max);
  for (size_t first = 0; first < kBytePanel; first += kByteLanes) {
    const auto part = static_cast<__mmask16>(mask >> first);
    const __m512 bias = _mm512_loadu_ps(biases + first);
    const __m512 scale = _mm512_loadu_ps(scales + first);
    for (size_t row = 0; row < rows; ++row) {
      const __m512 sum = _mm512_add_ps(_mm512_maskz_loadu_ps(part, sums.row(row) + first), bias);
      const __m512 scaled = _mm512_min_ps(most, _mm512_max_ps(least, _mm512_mul_ps(sum, scale)));
      _mm512_mask_storeu_ps(out.row(row) + first, part, scaled);
    }
  }
}

/// Products of rows by all panels, `depth_at_once` numbers of the rows at a time.
///
/// @param work Has `last`, the sums of a panel that may not be whole.
/// @param split Takes `(rows, first, depth, work)`: parts of numbers [first, first + depth).
/// @param add Takes `(rows, begins, depth, weights, sums, work)`: adds the products of those
/// numbers to the sums of a panel, or begins with them.
template <typename Work, typename Split, typename Add>
void multiply_byte_panels(const ByteRows& rows, size_t columns, size_t depth, size_t depth_at_once,
                          const void* weights, float* c, size_t c_stride, size_t c_next,
                          const xnn_byte_product_params& params, Work& work, Split split, Add add) {
  const size_t panel_bytes = kBytePanel * (2 * sizeof(float) + depth);
  for (size_t first = 0; first < depth; first += depth_at_once) {
    const size_t count = std::min(depth_at_once, depth - first);
    split(rows, first, count, work);
    const auto* panel = static_cast<const uint8_t*>(weights);
    auto* to = reinterpret_cast<uint8_t*>(c);
    for (size_t done = 0; done < columns; done += kBytePanel, to += c_next, panel += panel_bytes) {
      const ByteSums out = {reinterpret_cast<float*>(to), c_stride};
      const ByteSums sums =
          columns - done >= kBytePanel ? out : ByteSums{work.last[0], sizeof(work.last[0])};
      const auto* const biases = reinterpret_cast<const float*>(panel);
      const auto* const bytes = reinterpret_cast<const int8_t*>(biases + kBytePanel);
      add(rows.count, first == 0, count, bytes + first * kBytePanel, sums, work);
      if (first + count == depth) {
        const auto* const scales = reinterpret_cast<const float*>(bytes + depth * kBytePanel);
        finish_byte_panel(rows.count, columns - done, biases, scales, params, sums, out);
      }
    }
  }
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

#endif
