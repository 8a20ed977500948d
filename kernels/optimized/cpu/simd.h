/**
 * @file
 * What the optimized kernels ask of a processor's vector instructions: one table of loops for each
 * instruction set.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/kernels/optimized/cpu/elementwise_loops.h>
#include <executorch/kernels/portable/cpu/internal/float_loops.h>

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

/// How neighbouring columns of an output mix those of an input, with 2 or 4 taps each.
struct ColumnMix {
  const int32_t* index;
  const float* weight;
  size_t stride;  // between taps
  size_t taps;
  size_t count;
  /// For each vector of columns where the elements that it mixes begin; by find_windows.
  const int32_t* window;
};

/// Pixels of a depthwise convolution whose channels are neighbours in memory.
struct WeighedPixels {
  const float* const* pixels;  // `taps` for each output pixel
  size_t count;
  size_t taps;
  const float* weights;
  const float* bias;  // may be null
  size_t channels;
};

/// A line of a depthwise convolution of 3 x 3 taps without stride, whose channels are neighbours in
/// memory.
struct SlidingPixels {
  const float* lines[3];  // of the input
  size_t step[3];         // between their pixels; 0 for a pixel that stands for all of a line
  size_t width;           // of the input
  bool padded;            // by a pixel on either side
  const float* weights;   // of each tap all channels
  const float* bias;      // may be null
  size_t channels;
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

  /// out[i] = sum over k of weights[k] * lines[k][i]; 2, 4 or 16 taps.
  void (*mix_lines)(const float* const* lines, const float* weights, size_t taps, size_t n,
                    float* out);

  /// Fills ColumnMix::window.
  void (*find_windows)(const int32_t* index, size_t stride, size_t taps, size_t n, int32_t* window);

  /// out[i] = sum over k of weight[k * stride + i] * line[index[k * stride + i]], for a line of
  /// `length` elements.
  void (*mix_columns)(const float* line, size_t length, const ColumnMix& mix, float* out);

  /// out[i] = the largest (the smallest) of x[r * stride + i] for r < rows; NaN if there is one.
  void (*largest_columns)(const float* x, size_t rows, size_t stride, size_t n, float* out);
  void (*smallest_columns)(const float* x, size_t rows, size_t stride, size_t n, float* out);

  /// out[i] = factor * sum of x[r * stride + i] for r < rows.
  void (*sum_columns)(const float* x, size_t rows, size_t stride, size_t n, float factor,
                      float* out);

  /// The softmax, or its logarithm, of the elements r * stride + i for each i < n.
  void (*softmax_columns)(const float* x, size_t rows, size_t stride, size_t n, bool logarithm,
                          float* out);

  /// out[i] = sum over k of lines[k][i], divided by `divisor`.
  void (*average_lines)(const float* const* lines, size_t count, size_t n, float divisor,
                        float* out);

  /// out[i] = the largest of lines[k][i], and places[k] for the first that is; NaN counts as larger
  /// than all before it.
  void (*largest_lines)(const float* const* lines, const int32_t* places, size_t count, size_t n,
                        float* out, int64_t* index);

  /// out[i * channels + c] = bias[c] + sum over k of pixels[i * taps + k][c] * weights[k * channels
  /// + c].
  void (*weigh_pixels)(const WeighedPixels& pixels, float* out);

  /// A whole line of the output.
  void (*slide_pixels)(const SlidingPixels& pixels, float* out);

  /// out[r * stride + i] = sums[i] + sum of x[q * stride + i] for q <= r, in double, for r < rows
  /// and i < n. `sums` become those of the last row; `out` may be `x`.
  void (*sum_columns_so_far)(const float* x, size_t rows, size_t stride, size_t n, double* sums,
                             float* out);

  /// The first place of `value` in a line that has it; of NaN the first NaN's.
  size_t (*find)(const float* x, size_t n, float value);

  /// best[i] = the largest (the smallest) of x[r * stride + i] for r < rows, place[i] its first
  /// row; the first NaN if there is one.
  void (*largest_places)(const float* x, size_t rows, size_t stride, size_t n, float* best,
                         int32_t* place);
  void (*smallest_places)(const float* x, size_t rows, size_t stride, size_t n, float* best,
                          int32_t* place);

  /// The product of a line, and of columns as above.
  float (*product)(const float* x, size_t n);
  void (*product_columns)(const float* x, size_t rows, size_t stride, size_t n, float* out);

  /// What the kernels of this library call.
  ElementwiseLoops elementwise;

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
