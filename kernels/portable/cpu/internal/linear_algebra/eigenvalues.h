/**
 * @file
 * Eigenvalues of matrices of any kind, by the QR algorithm over complex numbers in double. Every
 * number of steps is bounded, whatever the elements are.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/linear_algebra/dense.h>

namespace torch::executor::native::util {

/// The parts of the elements of a matrix.
struct ComplexMatrix {
  Matrix real;
  Matrix imaginary;

  ComplexMatrix(double* memory, size_t rows, size_t columns)
      : real{memory, rows, columns}, imaginary{memory + rows * columns, rows, columns} {}
};

/// Numbers of work space for a matrix of `n` rows.
inline uint64_t eigen_work(size_t n) { return 6 * uint64_t{n}; }

/**
 * The eigenvalues of `a`, in no order that is promised, and their vectors.
 * @param a Square; becomes an upper triangle with the eigenvalues on its diagonal.
 * @param vectors Square; column i becomes the vector of eigenvalue i, of length 1, whose largest
 *   element is real and positive.
 * @param real If all of `a` is real: what rounding alone made of a real eigenvalue is taken off.
 * @param work `eigen_work` numbers.
 * @returns false if an element is infinite or no number, or if the algorithm does not end.
 */
bool eigen_general(const ComplexMatrix& a, const ComplexMatrix& vectors, bool real, double* work);

}  // namespace torch::executor::native::util
