/**
 * @file
 * What the optimized kernels ask of a processor's vector instructions: one table of loops for each
 * instruction set.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/kernels/portable/cpu/util/float_loops.h>

namespace torch::executor::native::optimized {

/// A block of a product of floats, which stays in registers: rows of the left matrix times some
/// neighbouring columns.
struct Tile {
  /// What the sums start from.
  enum class Start { kZero, kRowBias, kColumnBias, kOut };

  /// Element k of row r is left[r * left_stride + k].
  const float* left;
  ptrdiff_t left_stride;
  /// Columns are contiguous: element j of row k is right[offset[k] + j].
  const float* right;
  const int32_t* offset;
  size_t depth;
  /// Element j of row r is out[r * out_stride + j]; whole vectors are written.
  float* out;
  ptrdiff_t out_stride;
  /// One element for each row or for each column; see `start`.
  const float* bias;
  Start start;
};

/// One channel of a depthwise convolution, or some output rows of it.
struct DepthwiseRows {
  /// Tap t of output pixel (r, x) is in[offset[t] + r * pitch + x].
  const float* in;
  const int32_t* offset;
  ptrdiff_t pitch;
  const float* weight;
  size_t taps;
  float bias;
  size_t rows;
  size_t width;
  float* out;
  ptrdiff_t out_stride;
  /// Elements from `out` on that may be written. Rows are written from the first to the last, so
  /// that a vector that is longer than its row may reach into the next one.
  size_t room;
};

/// Lines of an image that are copied with their padding, one behind the other.
struct PaddedLines {
  const float* from;
  ptrdiff_t from_stride;
  size_t lines;
  size_t step;    // every how manieth element of a line is taken
  size_t before;  // zeros, as `after`
  size_t count;   // elements taken; nothing behind the last of them is read
  size_t after;
  float* to;
};

/// The loops of one instruction set. Strides and offsets count elements.
struct SimdLoops {
  /// Elements of a vector, and the largest tile in rows and in vectors of columns.
  size_t lanes;
  size_t tile_rows;
  size_t tile_vectors;

  /// Calculates up to `tile_rows` rows of `vectors` vectors.
  void (*tile)(const Tile& tile, size_t rows, size_t vectors);

  /// acc[r] = sum over k of a[r * stride + k] * x[k], for up to 8 rows.
  void (*dot)(const float* a, ptrdiff_t stride, size_t rows, const float* x, size_t depth,
              float* acc);

  /// to[j * to_stride + i] = from[i * from_stride + j] for `rows` x `columns` elements.
  void (*transpose)(const float* from, ptrdiff_t from_stride, size_t rows, size_t columns,
                    float* to, ptrdiff_t to_stride);

  void (*depthwise)(const DepthwiseRows& rows);

  void (*pad_lines)(const PaddedLines& lines);

  /// What the portable kernels call.
  util::FloatLoops loops;
};

/// 16-byte vectors, which every processor that this library is for has, or its compiler makes of
/// what there is.
extern const SimdLoops kBaselineSimd;

#if defined(__x86_64__)
extern const SimdLoops kAvx2Simd;
extern const SimdLoops kAvx512Simd;
#endif

/// The table in use; chosen before main.
extern const SimdLoops* simd;

}  // namespace torch::executor::native::optimized
