#include <cmath>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/dense.h>

namespace torch::executor::native {
namespace {

using util::Matrix;

/// to = a b
void multiply(const Matrix& a, const Matrix& b, const Matrix& to) {
  for (size_t r = 0; r < to.rows; ++r) {
    for (size_t c = 0; c < to.columns; ++c) {
      to.at(r, c) = 0;
    }
    for (size_t k = 0; k < a.columns; ++k) {
      for (size_t c = 0; c < to.columns; ++c) {
        to.at(r, c) += a.at(r, k) * b.at(k, c);
      }
    }
  }
}

/// The largest sum of the sizes of a column; of what is no number, none.
double norm(const Matrix& a) {
  double most = 0;
  for (size_t c = 0; c < a.columns; ++c) {
    double sum = 0;
    for (size_t r = 0; r < a.rows; ++r) {
      sum += std::fabs(a.at(r, c));
    }
    most = sum > most ? sum : most;
  }
  return most;
}

/**
 * Twenty terms of the series of a 2^k-th of `a`, which is at most a half, and k squares.
 * @param power Becomes the result.
 * @param spare As large as the others.
 */
void exponential(const Matrix& a, const Matrix& power, const Matrix& spare) {
  const size_t count = a.rows * a.columns;
  const double size = norm(a);
  int halvings = 0;
  if (std::isfinite(size)) {
    std::frexp(size, &halvings);
    halvings = halvings + 1 < 0 ? 0 : halvings + 1;
  }
  for (size_t i = 0; i < count; ++i) {
    a.data[i] = std::ldexp(a.data[i], -halvings);
  }
  // By Horner's rule: 1 + a (1 + a / 2 (1 + a / 3 ...)).
  util::set_identity(power);
  for (int term = 20; term > 0; --term) {
    multiply(a, power, spare);
    for (size_t i = 0; i < count; ++i) {
      power.data[i] = spare.data[i] / term;
    }
    for (size_t i = 0; i < a.rows; ++i) {
      power.at(i, i) += 1;
    }
  }
  for (; halvings > 0; --halvings) {
    multiply(power, power, spare);
    for (size_t i = 0; i < count; ++i) {
      power.data[i] = spare.data[i];
    }
  }
}

}  // namespace

Tensor& linalg_matrix_exp_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  if (!util::require_square(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::resize_like(ctx, in, out)) {
    return out;
  }
  const util::Matrices from(in);
  const size_t n = from.rows();
  double* memory = util::dense_memory(ctx, from, 3 * util::area(n, n));
  if (memory == nullptr) {
    return out;
  }
  const Matrix a{memory, n, n};
  const Matrix power{memory + n * n, n, n};
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, a);
    exponential(a, power, {memory + 2 * n * n, n, n});
    util::Matrices(out).write(index, power);
  }
  return out;
}

}  // namespace torch::executor::native
