#pragma once

#include <executorch/backends/xnnpack/runtime/xnnpack_extras.h>

namespace executorch {
namespace backends {
namespace xnnpack {

// Products of rows that were quantized when they came by weights of four bits in blocks, for panels
// of 16 columns (8 for AVX2) as XNNPACK packs them: sums, for each block its weights and scales
// (bfloat16, of a sixteenth), biases. Blocks are a multiple of 32 weights. All are
// `xnn_block_product_fn`.

constexpr size_t kBlockPanel = 16;
constexpr size_t kBlockPanelAvx2 = 8;
constexpr size_t kMostRowsAvx2 = 12;
constexpr size_t kMostRowsAvx512vnni = 16;
constexpr size_t kMostRowsAmx = 32;

#if defined(__x86_64__)

/// Up to kMostRowsAvx2 rows.
void multiply_rows_avx2(size_t rows, size_t columns, size_t depth, const int8_t* a, size_t a_stride,
                        const void* weights, float* c, size_t c_stride, size_t c_next,
                        const xnn_block_product_params* params,
                        const xnn_row_quantization* quantization);

/// One row: as fast as memory has the weights.
void multiply_row_avx512vnni(size_t rows, size_t columns, size_t depth, const int8_t* a,
                             size_t a_stride, const void* weights, float* c, size_t c_stride,
                             size_t c_next, const xnn_block_product_params* params,
                             const xnn_row_quantization* quantization);

/// Up to kMostRowsAvx512vnni rows.
void multiply_rows_avx512vnni(size_t rows, size_t columns, size_t depth, const int8_t* a,
                              size_t a_stride, const void* weights, float* c, size_t c_stride,
                              size_t c_next, const xnn_block_product_params* params,
                              const xnn_row_quantization* quantization);

/// Up to kMostRowsAmx rows, where `xnn_may_use_amx`.
void multiply_rows_amx(size_t rows, size_t columns, size_t depth, const int8_t* a, size_t a_stride,
                       const void* weights, float* c, size_t c_stride, size_t c_next,
                       const xnn_block_product_params* params,
                       const xnn_row_quantization* quantization);

#endif

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
