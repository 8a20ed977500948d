#include <cmath>
#include <utility>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/indefinite.h>

namespace torch::executor::native::util {
namespace {

/// What a block begins with: its rows, and the row that its last one is exchanged with.
struct Pivot {
  size_t rows;
  size_t with;
};

/// The row below the diagonal with the largest element of column `k`.
size_t largest_below(const Matrix& a, size_t k) {
  size_t most = k + 1;
  for (size_t r = k + 2; r < a.rows; ++r) {
    most = std::fabs(a.at(r, k)) > std::fabs(a.at(most, k)) ? r : most;
  }
  return most;
}

/// The largest element of row `r` of what is left from `k` on, its own on the diagonal apart.
double largest_beside(const Matrix& a, size_t k, size_t r) {
  double most = 0;
  for (size_t c = k; c < r; ++c) {
    most = std::fmax(most, std::fabs(a.at(r, c)));
  }
  for (size_t below = r + 1; below < a.rows; ++below) {
    most = std::fmax(most, std::fabs(a.at(below, r)));
  }
  return most;
}

/// Bunch and Kaufman's choice, which bounds what elements grow by.
Pivot choose(const Matrix& a, size_t k) {
  const double threshold = (1 + std::sqrt(17.0)) / 8;
  const double here = std::fabs(a.at(k, k));
  if (k + 1 == a.rows) {
    return {1, k};
  }
  const size_t row = largest_below(a, k);
  const double below = std::fabs(a.at(row, k));
  if (below == 0 || here >= threshold * below) {
    return {1, k};
  }
  const double beside = largest_beside(a, k, row);
  if (here >= threshold * below * (below / beside)) {
    return {1, k};
  }
  return {std::fabs(a.at(row, row)) >= threshold * beside ? size_t{1} : size_t{2}, row};
}

/// Exchanges rows and columns `i` < `j` of the symmetric matrix that begins at `k`.
void exchange_both(const Matrix& a, size_t k, size_t i, size_t j) {
  for (size_t r = j + 1; r < a.rows; ++r) {
    std::swap(a.at(r, i), a.at(r, j));
  }
  for (size_t m = i + 1; m < j; ++m) {
    std::swap(a.at(m, i), a.at(j, m));
  }
  std::swap(a.at(i, i), a.at(j, j));
  for (size_t c = k; c < i; ++c) {
    std::swap(a.at(i, c), a.at(j, c));
  }
}

/// Takes a block of one row off what follows, and leaves its part of the triangle.
void eliminate_one(const Matrix& a, size_t k) {
  const double inverse = 1 / a.at(k, k);
  for (size_t c = k + 1; c < a.rows; ++c) {
    const double factor = inverse * a.at(c, k);
    for (size_t r = c; r < a.rows; ++r) {
      a.at(r, c) -= a.at(r, k) * factor;
    }
  }
  for (size_t r = k + 1; r < a.rows; ++r) {
    a.at(r, k) *= inverse;
  }
}

/// A block [[p, q], [q, r]] divided by q, as numbers without a square of small ones.
struct Block {
  double q;
  double upper;
  double lower;
  double determinant;

  Block(const Matrix& a, size_t k)
      : q(a.at(k + 1, k)),
        upper(a.at(k, k) / q),
        lower(a.at(k + 1, k + 1) / q),
        determinant(upper * lower - 1) {}

  /// Replaces x and y by the solution of block times (x, y).
  void solve(double& x, double& y) const {
    const double left = x / q;
    const double right = y / q;
    x = (lower * left - right) / determinant;
    y = (upper * right - left) / determinant;
  }
};

void eliminate_two(const Matrix& a, size_t k) {
  const Block block(a, k);
  for (size_t c = k + 2; c < a.rows; ++c) {
    double first = a.at(c, k);
    double second = a.at(c, k + 1);
    block.solve(first, second);
    for (size_t r = c; r < a.rows; ++r) {
      a.at(r, c) -= a.at(r, k) * first + a.at(r, k + 1) * second;
    }
    a.at(c, k) = first;
    a.at(c, k + 1) = second;
  }
}

/// Takes row `k` of `b`, times what column `k` of the triangle has from row `from` on, off the
/// rows.
void forward(const Matrix& a, size_t k, size_t from, const Matrix& b) {
  for (size_t r = from; r < a.rows; ++r) {
    for (size_t c = 0; c < b.columns; ++c) {
      b.at(r, c) -= a.at(r, k) * b.at(k, c);
    }
  }
}

/// Takes those rows, times what the column has, off row `k`.
void backward(const Matrix& a, size_t k, size_t from, const Matrix& b) {
  for (size_t r = from; r < a.rows; ++r) {
    for (size_t c = 0; c < b.columns; ++c) {
      b.at(k, c) -= a.at(r, k) * b.at(r, c);
    }
  }
}

void exchange_rows_of(const Matrix& b, size_t i, size_t j) {
  for (size_t c = 0; i != j && c < b.columns; ++c) {
    std::swap(b.at(i, c), b.at(j, c));
  }
}

}  // namespace

int32_t factor_indefinite(const Matrix& a, int32_t* pivots) {
  const size_t n = a.rows;
  int32_t singular = 0;
  for (size_t k = 0; k < n;) {
    const Pivot pivot = choose(a, k);
    const size_t last = k + pivot.rows - 1;
    if (pivot.with != last) {
      exchange_both(a, k, last, pivot.with);
    }
    const int32_t number = static_cast<int32_t>(pivot.with) + 1;
    pivots[k] = pivots[last] = pivot.rows == 1 ? number : -number;
    if (pivot.rows == 2) {
      eliminate_two(a, k);
    } else if (a.at(k, k) != 0) {
      eliminate_one(a, k);
    } else {
      singular = singular == 0 ? number : singular;
    }
    k += pivot.rows;
  }
  for (size_t r = 0; r < n; ++r) {
    for (size_t c = r + 1; c < n; ++c) {
      a.at(r, c) = 0;
    }
  }
  return singular;
}

void solve_indefinite(const Matrix& a, const int32_t* pivots, const Matrix& b) {
  const auto other = [&](size_t k) { return static_cast<size_t>(std::abs(pivots[k]) - 1); };
  for (size_t k = 0; k < a.rows;) {
    const size_t rows = pivots[k] > 0 ? 1 : 2;
    exchange_rows_of(b, k + rows - 1, other(k));
    for (size_t i = k; i < k + rows; ++i) {
      forward(a, i, k + rows, b);
    }
    for (size_t c = 0; c < b.columns; ++c) {
      if (rows == 1) {
        b.at(k, c) /= a.at(k, k);
      } else {
        Block(a, k).solve(b.at(k, c), b.at(k + 1, c));
      }
    }
    k += rows;
  }
  for (size_t k = a.rows; k-- > 0;) {
    const size_t last = k;
    backward(a, k, last + 1, b);
    if (pivots[last] < 0) {
      backward(a, --k, last + 1, b);
    }
    exchange_rows_of(b, last, other(last));
  }
}

bool are_indefinite_pivots(const int32_t* pivots, size_t count) {
  for (size_t k = 0; k < count; ++k) {
    const int64_t number = std::abs(int64_t{pivots[k]});
    if (number < 1 || number > static_cast<int64_t>(count)) {
      return false;
    }
    if (pivots[k] < 0) {
      if (k + 1 == count || pivots[k + 1] != pivots[k]) {
        return false;
      }
      ++k;
    }
  }
  return true;
}

}  // namespace torch::executor::native::util
