/**
 * @file
 * What operators that solve equations share: the shapes of solutions, and memory for factors.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/linear_algebra/dense.h>

namespace torch::executor::native::util {

/// The matrices of `matrices`, for every index of the dimensions before those of `target`.
View with_batch_of(const View& target, const View& matrices);

/// A number or a line for each matrix, as matrices of one column.
View as_columns(const Tensor& t, size_t missing);

/// The common shape of the batches of `a` and `b`, and the rows and columns of `b`.
bool solution_shape(KernelRuntimeContext& ctx, const Tensor& a, const View& b, Shape& shape);

/// Matrices of x in a x = b; of x a = b, which are those of an equation from the left, transposed.
inline Matrices of_left(bool left, const View& view) {
  return left ? Matrices(view) : Matrices(view).transposed();
}

/// A matrix, its pivots, and what follows them in memory.
struct Workspace {
  Matrix a;
  int32_t* pivots;
  double* more;

  /// Numbers that there must be memory for, `more` of them behind.
  static uint64_t size(size_t rows, size_t columns, uint64_t more) {
    return area(rows, columns) + rows + more;
  }

  Workspace(double* memory, size_t rows, size_t columns)
      : a{memory, rows, columns},
        pivots(reinterpret_cast<int32_t*>(memory + rows * columns)),
        more(memory + rows * columns + rows) {}

  /// Reads pivots by way of the memory behind.
  void read_pivots(size_t index, const Matrices& from) const;

  /// Writes pivots and the state of a factorization.
  void write(size_t index, int32_t state, const Matrices& pivots_out, const Matrices& info) const;
};

/// Requires that a factorization succeeded, if `check` is asked for.
bool require_no_failure(KernelRuntimeContext& ctx, bool check, int32_t state);

bool require_ints(KernelRuntimeContext& ctx, const Tensor& t);

/// Requires a line of pivots for each of `lu`, all of which name rows.
bool require_pivots_of(KernelRuntimeContext& ctx, const Tensor& lu, const Tensor& pivots);

}  // namespace torch::executor::native::util
