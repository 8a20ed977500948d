#pragma once

#include <executorch/backends/xnnpack/runtime/xnnpack_extras.h>

namespace executorch {
namespace backends {
namespace xnnpack {

// Products of rows of floats by weights of eight bits with a scale for each column, for panels of
// 32 columns (16 for AVX2) as XNNPACK packs them: biases, the panel's weights for each number of a
// row, scales. All are `xnn_byte_product_fn`.

constexpr size_t kBytePanel = 32;
constexpr size_t kBytePanelAvx2 = 16;
constexpr size_t kMostByteRowsAmx = 32;
constexpr size_t kMostByteRowsVnni = 16;

#if defined(__x86_64__)

/// One row: as fast as memory has the weights.
void multiply_byte_row_avx2(size_t rows, size_t columns, size_t depth_bytes, const float* a,
                            size_t a_stride, const void* weights, float* c, size_t c_stride,
                            size_t c_next, const xnn_byte_product_params* params);
void multiply_byte_row_avx512(size_t rows, size_t columns, size_t depth_bytes, const float* a,
                              size_t a_stride, const void* weights, float* c, size_t c_stride,
                              size_t c_next, const xnn_byte_product_params* params);

/// Up to kMostByteRowsAmx rows, where the processor has products of bfloat16 by tiles. A weight is
/// such a number, and a float is the sum of three: nothing is rounded but sums.
void multiply_byte_rows_amx(size_t rows, size_t columns, size_t depth_bytes, const float* a,
                            size_t a_stride, const void* weights, float* c, size_t c_stride,
                            size_t c_next, const xnn_byte_product_params* params);

/// Up to kMostByteRowsVnni rows, where the processor has products of bytes. Of each 512 numbers of
/// a row, those far from the mean magnitude stay floats; the largest of the others becomes one of
/// 24 bits, and they become fixed-point numbers beside it, rounded to 2^-19 of that mean and
/// usually to 2^-21. Their products are exact.
void multiply_byte_rows_avx512vnni(size_t rows, size_t columns, size_t depth_bytes, const float* a,
                                   size_t a_stride, const void* weights, float* c, size_t c_stride,
                                   size_t c_next, const xnn_byte_product_params* params);

#endif

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
