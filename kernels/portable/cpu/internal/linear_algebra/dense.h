/**
 * @file
 * Factorizations of dense matrices, which the operators of linear algebra stand on: small code that
 * calculates in double, for matrices of some dozens of rows. Every number of steps is bounded,
 * whatever the elements are.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native::util {

/// A matrix whose rows follow each other in memory of the caller's.
struct Matrix {
  double* data;
  size_t rows;
  size_t columns;

  double* row(size_t r) const { return data + r * columns; }
  double& at(size_t r, size_t c) const { return data[r * columns + c]; }
};

/// The matrices of a tensor: its last two dimensions, for every index of those before them.
class Matrices {
 public:
  explicit Matrices(const Tensor& t) : view_(t) {}
  explicit Matrices(const View& view) : view_(view) {}

  size_t rows() const { return view_.size[view_.rank - 2]; }
  size_t columns() const { return view_.size[view_.rank - 1]; }
  /// How many there are.
  size_t count() const;
  /// Each of them with rows for columns.
  Matrices transposed() const;
  void read(size_t index, const Matrix& to) const;
  void write(size_t index, const Matrix& from) const;

 private:
  char* first(size_t index) const;

  View view_;
};

/// Requires matrices of Float or Double.
bool require_matrices(KernelRuntimeContext& ctx, const Tensor& t);

/// Requires square matrices of Float or Double.
bool require_square(KernelRuntimeContext& ctx, const Tensor& t);

/// Resizes `out` to the dimensions of `t` before the matrices, and then `more`.
bool resize_batch(KernelRuntimeContext& ctx, const Tensor& t, IntArrayRef more, Tensor& out);

/// Numbers in a matrix; as many as a size_t has no room for are none that there is memory for.
inline uint64_t area(size_t rows, size_t columns) { return uint64_t{rows} * columns; }

/**
 * Temporary memory for `count` numbers, to work on one of `all` at a time. Fails the kernel and
 * returns null if there is none; null as well where there are no matrices to work on.
 */
double* dense_memory(KernelRuntimeContext& ctx, const Matrices& all, uint64_t count);

/// Writes `value` as element `index` of a contiguous `out`.
void write_number(double value, size_t index, Tensor& out);

/// The unit matrix, or as much of it as there is.
void set_identity(const Matrix& a);

/**
 * Exchanges rows and makes `a` a unit lower triangle and an upper one.
 * @param pivots pivots[i] - 1 is the row that row i was exchanged with; as many as `a` has of the
 *   fewer of rows and columns.
 * @returns 0, or one more than the first place of the diagonal that is 0.
 */
int32_t factor_lu(const Matrix& a, int32_t* pivots);

/// Exchanges the rows of `b` as a factorization did.
void exchange_rows(const int32_t* pivots, size_t count, const Matrix& b);

/// Takes the exchanges back.
void exchange_rows_back(const int32_t* pivots, size_t count, const Matrix& b);

/// Replaces `b` by x in t x = b.
void solve_triangular(const Matrix& t, bool upper, bool unit, const Matrix& b);

/// Replaces `b` by x in a x = b, for the factors and pivots of a.
void solve_lu(const Matrix& lu, const int32_t* pivots, const Matrix& b);

/// The same for the transposed a, given the transposed factors.
void solve_lu_transposed(const Matrix& lu, const int32_t* pivots, const Matrix& b);

/**
 * Makes of a symmetric matrix, of which the lower triangle counts, its lower Cholesky factor.
 * @returns 0, or the order of the first leading minor that is not positive.
 */
int32_t factor_cholesky(const Matrix& a);

/// Makes `a` an upper triangle with Householder's vectors below it, whose factors are `tau`.
void factor_qr(const Matrix& a, double* tau);

/// The first columns of the orthogonal matrix of a `factor_qr`.
void form_q(const Matrix& qr, const double* tau, const Matrix& q);

/**
 * Eigenvalues of a symmetric matrix in ascending order, by Jacobi's rotations; no numbers where an
 * element is infinite or none.
 * @param a Is overwritten.
 * @param vectors Row i becomes the vector of values[i].
 */
void eigen_symmetric(const Matrix& a, const Matrix& vectors, double* values);

/**
 * Singular values in descending order, by one-sided rotations.
 * @param a Not more rows than columns; row i becomes the right vector of values[i].
 * @param left Square, with as many rows as `a`; row i becomes the left vector of values[i].
 */
void singular_values(const Matrix& a, const Matrix& left, double* values);

/// Makes the rows from `known` on orthonormal to all before them, which are orthonormal.
void complete_rows(const Matrix& a, size_t known);

}  // namespace torch::executor::native::util
