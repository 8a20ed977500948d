/**
 * @file
 * Matrix multiplication: out = alpha * A B + beta * bias, for matmul, linear and convolution alike.
 *
 * The right matrix is never seen as a whole: the caller packs small panels of it on demand into a
 * stack buffer, so that a convolution needs no patch matrix and a transposed matrix no copy. No
 * scratch memory beyond the stack is used.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>
#include <executorch/kernels/portable/cpu/internal/float_loops.h>

namespace torch::executor::native::util {

/// Sizes of the blocks for element type C; in the loops int64 is unsigned, so that it wraps.
template <typename C>
struct GemmTile {
#if defined(__AVX512F__)
  static constexpr size_t kVectorBytes = 64;
#elif defined(__AVX__)
  static constexpr size_t kVectorBytes = 32;
#else
  static constexpr size_t kVectorBytes = 16;
#endif
  /// Rows and columns of the block of results that stays in registers.
  static constexpr size_t kRows = 4;
  static constexpr size_t kTileColumns = 2 * kVectorBytes / sizeof(C);
  /// Columns of a panel, elements of the inner dimension in it, and rows that share it.
#if ET_KERNEL_CHUNK_BYTES <= 512
  static constexpr size_t kColumns = kTileColumns;
  static constexpr size_t kDepth = 32;
  static constexpr size_t kBlockRows = 16;
#else
  static constexpr size_t kColumns = sizeof(C) == sizeof(float) ? kPanelColumns : kTileColumns;
  static constexpr size_t kDepth = 256;
  static constexpr size_t kBlockRows = 256;
#endif
};

/// The left matrix, of any real dtype.
struct GemmLeft {
  const void* data;
  ScalarType dtype;
  ptrdiff_t row_stride;     // elements
  ptrdiff_t column_stride;  // elements; other than 1 costs a copy of each block
  /// If not null, supplies elements [k, k + depth) of a row, converted, instead of the above.
  void (*load_row)(const void* self, size_t row, size_t k, size_t depth, void* dst) = nullptr;
  const void* self = nullptr;
};

/// The right matrix, as a function that packs a part of it.
struct GemmRight {
  const void* self;
  /**
   * Writes rows [k, k + depth) and columns [n, n + columns) of the matrix, converted to the compute
   * type, to `panel`, whose rows have `GemmTile::kColumns` elements. Columns beyond must be set
   * too; their values do not matter.
   */
  void (*pack)(const void* self, size_t k, size_t depth, size_t n, size_t columns, void* panel);
};

/// Where the result goes, and what is added to it.
struct GemmOut {
  void* data;
  ScalarType dtype;
  ptrdiff_t row_stride;     // elements
  ptrdiff_t column_stride;  // elements
  /// Added to the product if not null; a stride of 0 broadcasts.
  const void* bias = nullptr;
  ScalarType bias_dtype = ScalarType::Undefined;
  ptrdiff_t bias_row_stride = 0;
  ptrdiff_t bias_column_stride = 0;
  bool scaled = false;  // alpha and beta are not both 1
  ScalarValue alpha = ScalarValue(int64_t{1});
  ScalarValue beta = ScalarValue(int64_t{1});
};

/// Multiplies an m x k by a k x n matrix in compute type `c` (not kBool).
void gemm(Compute c, size_t m, size_t n, size_t k, const GemmLeft& left, const GemmRight& right,
          const GemmOut& out);

/// A matrix in memory, for `gemm_strided`.
struct Matrix {
  const void* data;
  ScalarType dtype;
  ptrdiff_t row_stride;     // elements
  ptrdiff_t column_stride;  // elements
};

/// Multiplies an m x k by a k x n matrix; chooses the order of the loops by shapes and strides.
void gemm_strided(Compute c, size_t m, size_t n, size_t k, const Matrix& left, const Matrix& right,
                  const GemmOut& out);

}  // namespace torch::executor::native::util
