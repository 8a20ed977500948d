/**
 * @file
 * The innermost loops on floats, where a model spends most of its time.
 *
 * The portable kernels have plain ones. A library for a family of processors may set others, before
 * main and for the life of the process; what is linked decides. Results differ by rounding only.
 */
#pragma once

#include <cstddef>

namespace torch::executor::native::util {

/// Columns of a packed panel of a product of floats, where stacks are large.
constexpr size_t kPanelColumns = 32;
/// Rows that a panel is multiplied by at a time.
constexpr size_t kPanelRows = 8;

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
  /// tangent. In place or not.
  void (*gelu)(const float* x, size_t n, float* out);
  void (*sigmoid)(const float* x, size_t n, float* out);
  void (*tanh)(const float* x, size_t n, float* out);
};

/// The loops in use.
extern FloatLoops float_loops;

}  // namespace torch::executor::native::util
