/**
 * @file
 * The innermost loops on floats, where a model spends most of its time, and whole products and
 * convolutions.
 *
 * The portable kernels have plain ones. A library for a family of processors may set others, before
 * main and for the life of the process; what is linked decides. Results differ by rounding only.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch::runtime {
class KernelRuntimeContext;
}  // namespace executorch::runtime

namespace torch::executor::native::util {

struct ConvolutionImage;

/// Columns of a packed panel of a product of floats, where stacks are large.
constexpr size_t kPanelColumns = 32;
/// Rows that a panel is multiplied by at a time.
constexpr size_t kPanelRows = 8;

/// out = left * right + bias, all floats; strides count elements.
struct FloatProduct {
  size_t m;
  size_t n;
  size_t k;
  const float* left;  // m x k
  ptrdiff_t left_row_stride;
  ptrdiff_t left_column_stride;
  const float* right;  // k x n
  ptrdiff_t right_row_stride;
  ptrdiff_t right_column_stride;
  float* out;  // m x n
  ptrdiff_t out_row_stride;
  ptrdiff_t out_column_stride;
  const float* bias;  // may be null; a stride of 0 broadcasts
  ptrdiff_t bias_row_stride;
  ptrdiff_t bias_column_stride;
};

/// Lines of elements to copy. Strides and steps count bytes.
struct CopiedLines {
  const char* from;
  ptrdiff_t from_stride;
  ptrdiff_t step;  // between neighbours in `from`: an element's size, the same backwards, or 0
  char* to;        // elements are neighbours
  ptrdiff_t to_stride;
  size_t element_size;  // 1, 2, 4 or 8
  size_t length;        // elements of a line
  size_t lines;
};

/// Vectors of numbers that do not lie behind each other, as those of one head in a cache: floats,
/// or bytes that stand for (byte - zero point) * scale, with one of each for every vector.
struct NumberLines {
  const char* data = nullptr;
  ptrdiff_t stride = 0;  // between lines, in bytes
  size_t count = 0;
  size_t length = 0;              // numbers of a line
  const float* scales = nullptr;  // null for floats
  const int8_t* zero_points = nullptr;
  ptrdiff_t scale_stride = 0;  // between lines, in elements of both

  /// Memory that is read next, which is asked for bit by bit while these lines are in use; without
  /// it the same elements of the lines behind them are.
  const char* next = nullptr;
  size_t next_bytes = 0;
};

/// Loops that replace the plain ones; null where there is no other.
struct FloatLoops {
  /**
   * acc[r][j] += sum over k of a[r][k] * panel[k][j], for kPanelRows rows and kPanelColumns
   * columns.
   * @param acc Rows of kPanelColumns elements, aligned to 64 bytes as the panel is.
   */
  void (*multiply_panel)(const float* const* a, const float* panel, size_t depth, float* acc);

  /// acc[r] += sum over k of a[r][k] * x[k], for four rows.
  void (*dot_rows)(const float* const* a, const float* x, size_t depth, float* acc);

  /// acc[i] += w * x[i].
  void (*add_scaled)(float* acc, const float* x, size_t n, float w);

  /// out[i] = exp(x[i] - shift). In place or not.
  void (*exp)(const float* x, size_t n, float shift, float* out);

  /// The Gaussian error linear unit by the error function, the logistic function, the hyperbolic
  /// tangent, the exponential function. In place or not.
  void (*gelu)(const float* x, size_t n, float* out);
  void (*sigmoid)(const float* x, size_t n, float* out);
  void (*tanh)(const float* x, size_t n, float* out);
  void (*exponential)(const float* x, size_t n, float* out);

  /// The largest and the smallest of n > 0 elements; NaN if there is one.
  float (*largest)(const float* x, size_t n);
  float (*smallest)(const float* x, size_t n);

  /// As `exp`, and gives the sum of the results.
  double (*exp_sum)(const float* x, size_t n, float shift, float* out);

  /// The sum, and the sum of squared distances from `mean`.
  double (*sum)(const float* x, size_t n);
  double (*squared_distances)(const float* x, size_t n, float mean);

  /// out[i] = (x[i] - mean) * rstd * weight[i] + bias[i].
  void (*normalize)(const float* x, size_t n, float mean, float rstd, const float* weight,
                    const float* bias, float* out);

  /// out[i] = x[i] * factor.
  void (*scale)(const float* x, size_t n, float factor, float* out);

  /// to[i] = from[2 * i]; reads nothing behind the last of them.
  void (*even)(const float* from, size_t n, float* to);

  /// Where x[i] is larger than best[i], or NaN, it takes its place, and index[i] is set to first +
  /// i * step.
  void (*keep_larger)(const float* x, size_t n, int32_t first, int32_t step, float* best,
                      int32_t* index);

  /// A whole product. False if this one is better left to the loops above; then nothing was
  /// written.
  bool (*multiply)(const FloatProduct& product);

  /// A whole image. False as above.
  bool (*convolve)(::executorch::runtime::KernelRuntimeContext& context,
                   const ConvolutionImage& image);

  /**
   * Calls `run` for parts that make up [0, count), of at least `grain` but for the last one,
   * possibly at the same time. See `parallel_for`, which is what kernels call.
   */
  void (*parallel)(size_t count, size_t grain,
                   void (*run)(const void* self, size_t begin, size_t end), const void* self);

  /// to[j * to_stride + i] = from[i * from_stride + j] for `rows` x `columns` elements, which are
  /// any that have the size of a float.
  void (*transpose)(const float* from, ptrdiff_t from_stride, size_t rows, size_t columns,
                    float* to, ptrdiff_t to_stride);

  /// acc[i] += x[i].
  void (*add_floats)(double* acc, const float* x, size_t n);

  /// q[i] = round(clamp(x[i] * inverse, low, high)) + zero_point, ties to even, as a byte, signed
  /// or not. The magnitudes of `low` and `high` are at most 2^22.
  void (*quantize)(const float* x, size_t n, float inverse, float zero_point, float low, float high,
                   uint8_t* q);

  /// x[i] = (q[i] - zero_point) * scale, of bytes that are signed or not.
  void (*dequantize)(const uint8_t* q, size_t n, bool is_signed, float scale, float zero_point,
                     float* x);

  /// Copies lines that have no memory in common with their copies.
  void (*copy_lines)(const CopiedLines& lines);

  /// sums[r] += sum of x[r * stride + i] * w[i], in 32 bits.
  void (*add_products)(const int16_t* x, size_t stride, size_t rows, const int8_t* w, size_t n,
                       int32_t* sums);

  /// out[r * out_stride + i] = sum over j of rows[r * row_stride + j] * line i [j], for `count`
  /// rows, which are few.
  void (*multiply_lines)(const NumberLines& lines, const float* rows, size_t row_stride,
                         size_t count, float* out, size_t out_stride);

  /// sums[r * stride + j] += sum over i of weights[r * weight_stride + i] * line i [j], as above.
  void (*add_lines)(const NumberLines& lines, const float* weights, size_t weight_stride,
                    size_t count, float* sums, size_t stride);
};

/// The loops in use.
extern FloatLoops float_loops;

}  // namespace torch::executor::native::util
