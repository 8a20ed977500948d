#include <cmath>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/dense.h>
#include <executorch/kernels/portable/cpu/internal/temp_memory.h>

namespace torch::executor::native::util {
namespace {

double dot(const double* a, const double* b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

/// y += factor * x
void add_multiple(double factor, const double* x, double* y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    y[i] += factor * x[i];
  }
}

void scale(double factor, double* x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    x[i] *= factor;
  }
}

void exchange(double* a, double* b, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const double kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

/// Row `i` of `b` and the one that it was exchanged with.
void exchange_pivot(const int32_t* pivots, size_t i, const Matrix& b) {
  const size_t other = static_cast<size_t>(pivots[i] - 1);
  if (other != i) {
    exchange(b.row(i), b.row(other), b.columns);
  }
}

/// Scales before it squares, so that no square is too large or too small.
double length(const double* x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; ++i) {
    most = std::fmax(most, std::fabs(x[i]));
  }
  if (most == 0 || !std::isfinite(most)) {
    return most + dot(x, x, n);  // the largest passes over what is no number
  }
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    sum += (x[i] / most) * (x[i] / most);
  }
  return most * std::sqrt(sum);
}

/**
 * Divides by a power of two, so that the largest is about one and products of them neither overflow
 * nor vanish.
 * @returns The exponent of that power.
 */
int normalize(double* x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; ++i) {
    most = std::fmax(most, std::fabs(x[i]));
  }
  int exponent = 0;
  if (std::isfinite(most)) {
    std::frexp(most, &exponent);
  }
  for (size_t i = 0; i < n && exponent != 0; ++i) {
    x[i] = std::ldexp(x[i], -exponent);
  }
  return exponent;
}

/// Cosine and sine of the rotation that clears the off-diagonal element of [[p, q], [q, r]].
struct Rotation {
  double c;
  double s;
  double t;

  Rotation(double p, double q, double r) {
    const double theta = (r - p) / (2 * q);
    t = std::copysign(1 / (std::fabs(theta) + std::hypot(theta, 1.0)), theta);
    c = 1 / std::hypot(t, 1.0);
    s = t * c;
  }

  void turn(double* x, double* y, size_t n, ptrdiff_t step = 1) const {
    for (size_t i = 0; i < n; ++i, x += step, y += step) {
      const double kept = *x;
      *x = c * kept - s * *y;
      *y = s * kept + c * *y;
    }
  }
};

/// Rotations meet their precision after some six sweeps; elements that are no numbers never do.
constexpr int kMostSweeps = 60;
constexpr double kPrecision = 2.3e-16;

/// Sorts `values`, and the rows of two matrices with them.
template <typename Before>
void sort_rows(double* values, const Matrix& a, const Matrix& b, Before&& before) {
  for (size_t i = 0; i < a.rows; ++i) {
    size_t first = i;
    for (size_t j = i + 1; j < a.rows; ++j) {
      first = before(values[j], values[first]) ? j : first;
    }
    if (first != i) {
      exchange(values + i, values + first, 1);
      exchange(a.row(i), a.row(first), a.columns);
      exchange(b.row(i), b.row(first), b.columns);
    }
  }
}

}  // namespace

size_t Matrices::count() const {
  size_t n = 1;
  for (size_t d = 0; d + 2 < view_.rank; ++d) {
    n *= view_.size[d];
  }
  return n;
}

Matrices Matrices::transposed() const {
  size_t order[kMaxRank];
  for (size_t d = 0; d < view_.rank; ++d) {
    order[d] = d;
  }
  order[view_.rank - 2] = view_.rank - 1;
  order[view_.rank - 1] = view_.rank - 2;
  return Matrices(view_.permute(order));
}

char* Matrices::first(size_t index) const {
  ptrdiff_t offset = 0;
  for (size_t d = view_.rank - 2; d-- > 0;) {
    offset += static_cast<ptrdiff_t>(index % view_.size[d]) * view_.stride[d];
    index /= view_.size[d];
  }
  return view_.data + offset * static_cast<ptrdiff_t>(view_.element_size);
}

void Matrices::read(size_t index, const Matrix& to) const {
  const ptrdiff_t step = view_.stride[view_.rank - 2] * static_cast<ptrdiff_t>(view_.element_size);
  const char* from = first(index);
  for (size_t r = 0; r < to.rows; ++r) {
    load(Compute::kDouble, view_.dtype, from + static_cast<ptrdiff_t>(r) * step,
         view_.stride[view_.rank - 1], to.columns, to.row(r));
  }
}

void Matrices::write(size_t index, const Matrix& from) const {
  const ptrdiff_t step = view_.stride[view_.rank - 2] * static_cast<ptrdiff_t>(view_.element_size);
  char* to = first(index);
  for (size_t r = 0; r < from.rows; ++r) {
    store(Compute::kDouble, view_.dtype, from.row(r), from.columns,
          to + static_cast<ptrdiff_t>(r) * step, view_.stride[view_.rank - 1]);
  }
}

bool require_matrices(KernelRuntimeContext& ctx, const Tensor& t) {
  const ScalarType dtype = t.scalar_type();
  return require(ctx, t.dim() >= 2, "needs matrices") &&
         require(ctx, dtype == ScalarType::Float || dtype == ScalarType::Double,
                 "the matrices must be Float or Double");
}

bool require_square(KernelRuntimeContext& ctx, const Tensor& t) {
  return require_matrices(ctx, t) &&
         require(ctx, t.size(t.dim() - 1) == t.size(t.dim() - 2), "the matrices must be square");
}

bool resize_batch(KernelRuntimeContext& ctx, const Tensor& t, IntArrayRef more, Tensor& out) {
  Shape shape(t);
  shape.rank -= 2;
  for (const int64_t size : more) {
    shape.push(size);
  }
  return resize(ctx, shape, out);
}

double* dense_memory(KernelRuntimeContext& ctx, const Matrices& all, uint64_t count) {
  return all.count() == 0 ? nullptr : temp_memory<double>(ctx, count, "matrices");
}

void write_number(double value, size_t index, Tensor& out) {
  store(
      Compute::kDouble, out.scalar_type(), &value, 1,
      static_cast<char*>(out.mutable_data_ptr()) + index * static_cast<size_t>(out.element_size()));
}

void set_identity(const Matrix& a) {
  for (size_t r = 0; r < a.rows; ++r) {
    for (size_t c = 0; c < a.columns; ++c) {
      a.at(r, c) = r == c ? 1 : 0;
    }
  }
}

int32_t factor_lu(const Matrix& a, int32_t* pivots) {
  int32_t singular = 0;
  for (size_t i = 0; i < a.rows && i < a.columns; ++i) {
    size_t pivot = i;
    for (size_t r = i + 1; r < a.rows; ++r) {
      pivot = std::fabs(a.at(r, i)) > std::fabs(a.at(pivot, i)) ? r : pivot;
    }
    pivots[i] = static_cast<int32_t>(pivot + 1);
    if (a.at(pivot, i) == 0) {
      singular = singular == 0 ? static_cast<int32_t>(i + 1) : singular;
      continue;
    }
    if (pivot != i) {
      exchange(a.row(i), a.row(pivot), a.columns);
    }
    for (size_t r = i + 1; r < a.rows; ++r) {
      a.at(r, i) /= a.at(i, i);
      add_multiple(-a.at(r, i), a.row(i) + i + 1, a.row(r) + i + 1, a.columns - i - 1);
    }
  }
  return singular;
}

void exchange_rows(const int32_t* pivots, size_t count, const Matrix& b) {
  for (size_t i = 0; i < count; ++i) {
    exchange_pivot(pivots, i, b);
  }
}

void exchange_rows_back(const int32_t* pivots, size_t count, const Matrix& b) {
  for (size_t i = count; i-- > 0;) {
    exchange_pivot(pivots, i, b);
  }
}

void solve_triangular(const Matrix& t, bool upper, bool unit, const Matrix& b) {
  for (size_t i = 0; i < t.rows; ++i) {
    const size_t r = upper ? t.rows - 1 - i : i;
    for (size_t j = 0; j < i; ++j) {
      const size_t known = upper ? t.rows - 1 - j : j;
      add_multiple(-t.at(r, known), b.row(known), b.row(r), b.columns);
    }
    for (size_t c = 0; c < b.columns && !unit; ++c) {
      b.at(r, c) /= t.at(r, r);
    }
  }
}

void solve_lu(const Matrix& lu, const int32_t* pivots, const Matrix& b) {
  exchange_rows(pivots, lu.rows, b);
  solve_triangular(lu, /*upper=*/false, /*unit=*/true, b);
  solve_triangular(lu, /*upper=*/true, /*unit=*/false, b);
}

void solve_lu_transposed(const Matrix& lu, const int32_t* pivots, const Matrix& b) {
  solve_triangular(lu, /*upper=*/false, /*unit=*/false, b);
  solve_triangular(lu, /*upper=*/true, /*unit=*/true, b);
  exchange_rows_back(pivots, lu.rows, b);
}

int32_t factor_cholesky(const Matrix& a) {
  int32_t failed = 0;
  for (size_t r = 0; r < a.rows; ++r) {
    for (size_t c = 0; c < r; ++c) {
      a.at(r, c) = (a.at(r, c) - dot(a.row(r), a.row(c), c)) / a.at(c, c);
      a.at(c, r) = 0;
    }
    const double rest = a.at(r, r) - dot(a.row(r), a.row(r), r);
    if (!(rest > 0) && failed == 0) {
      failed = static_cast<int32_t>(r + 1);
    }
    a.at(r, r) = std::sqrt(rest);
  }
  return failed;
}

void factor_qr(const Matrix& a, double* tau) {
  for (size_t i = 0; i < a.rows && i < a.columns; ++i) {
    double below = 0;
    for (size_t r = i + 1; r < a.rows; ++r) {
      below = std::hypot(below, a.at(r, i));
    }
    tau[i] = 0;
    if (below == 0) {
      continue;
    }
    // The sign that adds up, so that nothing cancels.
    const double head = a.at(i, i);
    const double norm = -std::copysign(std::hypot(head, below), head);
    tau[i] = (norm - head) / norm;
    for (size_t r = i + 1; r < a.rows; ++r) {
      a.at(r, i) /= head - norm;
    }
    a.at(i, i) = norm;
    for (size_t c = i + 1; c < a.columns; ++c) {
      double sum = a.at(i, c);
      for (size_t r = i + 1; r < a.rows; ++r) {
        sum += a.at(r, i) * a.at(r, c);
      }
      sum *= tau[i];
      a.at(i, c) -= sum;
      for (size_t r = i + 1; r < a.rows; ++r) {
        a.at(r, c) -= sum * a.at(r, i);
      }
    }
  }
}

void form_q(const Matrix& qr, const double* tau, const Matrix& q) {
  set_identity(q);
  for (size_t i = qr.rows < qr.columns ? qr.rows : qr.columns; i-- > 0;) {
    for (size_t c = 0; c < q.columns; ++c) {
      double sum = q.at(i, c);
      for (size_t r = i + 1; r < q.rows; ++r) {
        sum += qr.at(r, i) * q.at(r, c);
      }
      sum *= tau[i];
      q.at(i, c) -= sum;
      for (size_t r = i + 1; r < q.rows; ++r) {
        q.at(r, c) -= sum * qr.at(r, i);
      }
    }
  }
}

void eigen_symmetric(const Matrix& a, const Matrix& vectors, double* values) {
  const size_t n = a.rows;
  const int exponent = normalize(a.data, n * n);
  const double size = length(a.data, n * n);
  if (!std::isfinite(size)) {
    // A rotation may leave such an element out, and numbers that mean nothing.
    for (size_t i = 0; i < n * n; ++i) {
      vectors.data[i] = values[i / n] = NAN;
    }
    return;
  }
  const double nothing = kPrecision * size;
  set_identity(vectors);
  bool turned = true;
  for (int sweep = 0; sweep < kMostSweeps && turned; ++sweep) {
    turned = false;
    for (size_t p = 0; p + 1 < n; ++p) {
      for (size_t q = p + 1; q < n; ++q) {
        if (std::fabs(a.at(p, q)) <= nothing) {
          continue;
        }
        turned = true;
        const Rotation rotation(a.at(p, p), a.at(p, q), a.at(q, q));
        rotation.turn(a.row(p), a.row(q), n);
        rotation.turn(a.data + p, a.data + q, n, static_cast<ptrdiff_t>(n));
        a.at(p, q) = a.at(q, p) = 0;
        rotation.turn(vectors.row(p), vectors.row(q), n);
      }
    }
  }
  for (size_t i = 0; i < n; ++i) {
    values[i] = std::ldexp(a.at(i, i), exponent);
  }
  sort_rows(values, vectors, {values, n, 0}, [](double x, double y) { return x < y; });
}

void singular_values(const Matrix& a, const Matrix& left, double* values) {
  const size_t n = a.columns;
  const int exponent = normalize(a.data, a.rows * n);
  // Rows of this length are what rounding leaves of none; they have no direction.
  const double nothing = kPrecision * static_cast<double>(n) * length(a.data, a.rows * n);
  set_identity(left);
  bool turned = true;
  for (int sweep = 0; sweep < kMostSweeps && turned; ++sweep) {
    turned = false;
    for (size_t p = 0; p + 1 < a.rows; ++p) {
      for (size_t q = p + 1; q < a.rows; ++q) {
        const double pp = dot(a.row(p), a.row(p), n);
        const double pq = dot(a.row(p), a.row(q), n);
        const double qq = dot(a.row(q), a.row(q), n);
        const double lengths = std::sqrt(pp) * std::sqrt(qq);
        if (std::fabs(pq) <= kPrecision * lengths || std::sqrt(std::fmin(pp, qq)) <= nothing) {
          continue;
        }
        turned = true;
        const Rotation rotation(pp, pq, qq);
        rotation.turn(a.row(p), a.row(q), n);
        rotation.turn(left.row(p), left.row(q), a.rows);
      }
    }
  }
  for (size_t i = 0; i < a.rows; ++i) {
    values[i] = length(a.row(i), n);
  }
  sort_rows(values, a, left, [](double x, double y) { return x > y; });
  size_t known = 0;
  for (; known < a.rows && values[known] > nothing; ++known) {
    scale(1 / values[known], a.row(known), n);
  }
  complete_rows(a, known);
  for (size_t i = 0; i < a.rows; ++i) {
    values[i] = std::ldexp(values[i], exponent);
  }
}

void complete_rows(const Matrix& a, size_t known) {
  // Of the axes, one is far enough from all that is known; what is left of it is cleaned twice.
  for (size_t axis = 0; known < a.rows && axis < a.columns; ++axis) {
    double* row = a.row(known);
    for (size_t c = 0; c < a.columns; ++c) {
      row[c] = c == axis ? 1 : 0;
    }
    for (int round = 0; round < 2; ++round) {
      for (size_t r = 0; r < known; ++r) {
        add_multiple(-dot(row, a.row(r), a.columns), a.row(r), row, a.columns);
      }
    }
    const double left = length(row, a.columns);
    if (left * left * static_cast<double>(a.columns) * 4 >= 1) {
      scale(1 / left, row, a.columns);
      ++known;
    }
  }
}

}  // namespace torch::executor::native::util
