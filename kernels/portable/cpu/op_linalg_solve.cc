#include <tuple>

#include <executorch/kernels/portable/cpu/internal/dense.h>

namespace torch::executor::native {
namespace {

using util::Matrices;
using util::Matrix;
using util::View;

/// True if `b` has a vector for each matrix of `a`, and not a matrix.
bool is_vector(const Tensor& a, const Tensor& b) {
  bool same = b.dim() + 1 == a.dim();
  for (ssize_t d = 0; same && d < b.dim(); ++d) {
    same = a.size(d) == b.size(d);
  }
  return same || b.dim() == 1;
}

/// Sizes of the dimensions before the matrices, with those of another view before its matrices.
View with_batch_of(const View& target, const View& matrices) {
  View result = target;
  for (size_t d = 1; d <= 2; ++d) {
    result.size[result.rank - d] = matrices.size[matrices.rank - d];
  }
  return matrices.expand(result);
}

/// A number or a line for each matrix, as matrices of one column.
View as_columns(const Tensor& t, size_t missing) {
  View view(t);
  for (; missing > 0; --missing) {
    view = view.unsqueeze(view.rank);
  }
  return view;
}

/// The common shape of the batches of `a` and `b`, and the rows and columns of `b`.
bool solution_shape(KernelRuntimeContext& ctx, const Tensor& a, const View& b, util::Shape& shape) {
  const size_t rank = static_cast<size_t>(a.dim()) > b.rank ? static_cast<size_t>(a.dim()) : b.rank;
  for (size_t d = rank; d > 2; --d) {
    const int64_t one = d > b.rank ? 1 : static_cast<int64_t>(b.size[b.rank - d]);
    const int64_t other =
        static_cast<ssize_t>(d) > a.dim() ? 1 : a.size(a.dim() - static_cast<ssize_t>(d));
    if (!util::require(ctx, one == other || one == 1 || other == 1,
                       "the batches do not broadcast")) {
      return false;
    }
    shape.push(one == 1 ? other : one);
  }
  shape.push(static_cast<int64_t>(b.size[b.rank - 2]));
  shape.push(static_cast<int64_t>(b.size[b.rank - 1]));
  return true;
}

/// A matrix, its pivots, and what follows them in memory.
struct Workspace {
  Matrix a;
  int32_t* pivots;
  double* more;

  /// Numbers that there must be memory for, `more` of them behind.
  static size_t size(size_t rows, size_t columns, size_t more) {
    return rows * columns + rows + more;
  }

  Workspace(double* memory, size_t rows, size_t columns)
      : a{memory, rows, columns},
        pivots(reinterpret_cast<int32_t*>(memory + rows * columns)),
        more(memory + rows * columns + rows) {}

  /// Writes pivots and the state of a factorization.
  void write(size_t index, int32_t state, const Matrices& pivots_out, const Matrices& info) const {
    for (size_t i = 0; i < pivots_out.rows(); ++i) {
      more[i] = pivots[i];
    }
    pivots_out.write(index, {more, pivots_out.rows(), 1});
    double number = state;
    info.write(index, {&number, 1, 1});
  }
};

bool require_no_failure(KernelRuntimeContext& ctx, bool check, int32_t state) {
  return util::require(ctx, !check || state == 0, "a matrix is singular");
}

/// True if each of `pivots` names a row, of matrices like those of `lu`.
bool are_pivots_of(const Tensor& pivots, const Tensor& lu) {
  const ssize_t n = lu.size(lu.dim() - 1);
  bool good = pivots.dim() + 1 == lu.dim();
  for (ssize_t d = 0; good && d < pivots.dim(); ++d) {
    good = pivots.size(d) == lu.size(d);
  }
  const int32_t* row = static_cast<const int32_t*>(pivots.const_data_ptr());
  for (ssize_t i = 0; good && i < pivots.numel(); ++i) {
    good = row[i] >= 1 && row[i] <= n;
  }
  return good;
}

bool require_ints(KernelRuntimeContext& ctx, const Tensor& t) {
  return util::require(ctx, t.scalar_type() == ScalarType::Int, "pivots and info must be Int");
}

}  // namespace

std::tuple<Tensor&, Tensor&> linalg_inv_ex_inverse(KernelRuntimeContext& ctx, const Tensor& in,
                                                   bool check_errors, Tensor& inverse,
                                                   Tensor& info) {
  const std::tuple<Tensor&, Tensor&> result(inverse, info);
  if (!util::require_square(ctx, in) || !util::require_same_dtype(ctx, in, inverse) ||
      !require_ints(ctx, info) || !util::resize_like(ctx, in, inverse) ||
      !util::resize_batch(ctx, in, {}, info)) {
    return result;
  }
  const Matrices from(in);
  const size_t n = from.rows();
  double* memory = util::dense_memory(ctx, Workspace::size(n, n, n * n));
  if (memory == nullptr) {
    return result;
  }
  const Workspace space(memory, n, n);
  const Matrix x{space.more, n, n};
  int32_t* states = static_cast<int32_t*>(info.mutable_data_ptr());
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, space.a);
    states[index] = util::factor_lu(space.a, space.pivots);
    if (!require_no_failure(ctx, check_errors, states[index])) {
      return result;
    }
    util::set_identity(x);
    util::solve_lu(space.a, space.pivots, x);
    Matrices(inverse).write(index, x);
  }
  return result;
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_lu_factor_ex_out(KernelRuntimeContext& ctx,
                                                              const Tensor& in, bool pivot,
                                                              bool check_errors, Tensor& lu,
                                                              Tensor& pivots, Tensor& info) {
  const std::tuple<Tensor&, Tensor&, Tensor&> result(lu, pivots, info);
  if (!util::require_matrices(ctx, in) || !util::require_same_dtype(ctx, in, lu) ||
      !require_ints(ctx, pivots) || !require_ints(ctx, info) ||
      !util::require(ctx, pivot, "there is no factorization without exchanges of rows")) {
    return result;
  }
  const Matrices from(in);
  const size_t few = from.rows() < from.columns() ? from.rows() : from.columns();
  if (!util::resize_like(ctx, in, lu) ||
      !util::resize_batch(ctx, in, {static_cast<int64_t>(few)}, pivots) ||
      !util::resize_batch(ctx, in, {}, info)) {
    return result;
  }
  double* memory = util::dense_memory(ctx, Workspace::size(from.rows(), from.columns(), few));
  if (memory == nullptr) {
    return result;
  }
  const Workspace space(memory, from.rows(), from.columns());
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, space.a);
    const int32_t state = util::factor_lu(space.a, space.pivots);
    if (!require_no_failure(ctx, check_errors, state)) {
      return result;
    }
    Matrices(lu).write(index, space.a);
    space.write(index, state, Matrices(as_columns(pivots, 1)), Matrices(as_columns(info, 2)));
  }
  return result;
}

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> _linalg_solve_ex_result(
    KernelRuntimeContext& ctx, const Tensor& in, const Tensor& b, bool left, bool check_errors,
    Tensor& solution, Tensor& lu, Tensor& pivots, Tensor& info) {
  const std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> result(solution, lu, pivots, info);
  if (!util::require_square(ctx, in) ||
      !util::require(ctx, b.dim() > 0, "the right side must have a dimension") ||
      !util::require_same_dtype(ctx, in, b) || !util::require_same_dtype(ctx, in, solution) ||
      !util::require_same_dtype(ctx, in, lu) || !require_ints(ctx, pivots) ||
      !require_ints(ctx, info)) {
    return result;
  }
  const bool vector = is_vector(in, b);
  const size_t n = static_cast<size_t>(in.size(in.dim() - 1));
  const View right = as_columns(b, vector ? 1 : 0);
  util::Shape shape;
  if (!util::require(ctx, left || !vector, "a vector has no columns to multiply from the left") ||
      !util::require(ctx, right.size[right.rank - (left ? 2 : 1)] == n,
                     "the right side must have the size of the matrices") ||
      !solution_shape(ctx, in, right, shape)) {
    return result;
  }
  shape.rank -= vector ? 1 : 0;
  if (!util::resize(ctx, shape, solution) || !util::resize_like(ctx, in, lu) ||
      !util::resize_batch(ctx, in, {in.size(in.dim() - 1)}, pivots) ||
      !util::resize_batch(ctx, in, {}, info)) {
    return result;
  }
  const View target = as_columns(solution, vector ? 1 : 0);
  const auto of_left = [&](const View& view) {
    return left ? Matrices(view) : Matrices(view).transposed();
  };
  const Matrices factors(with_batch_of(target, View(lu)));
  const Matrices from = of_left(with_batch_of(target, View(in)));
  const Matrices values = of_left(with_batch_of(target, right));
  const Matrices solved = of_left(target);
  const size_t columns = solved.columns();
  double* memory = util::dense_memory(ctx, Workspace::size(n, n, n * (columns > 0 ? columns : 1)));
  if (memory == nullptr) {
    return result;
  }
  const Workspace space(memory, n, n);
  const Matrix x{space.more, n, columns};
  for (size_t index = 0; index < solved.count(); ++index) {
    from.read(index, space.a);
    const int32_t state = util::factor_lu(space.a, space.pivots);
    if (!require_no_failure(ctx, check_errors, state)) {
      return result;
    }
    factors.write(index, space.a);
    space.write(index, state, Matrices(with_batch_of(target, as_columns(pivots, 1))),
                Matrices(with_batch_of(target, as_columns(info, 2))));
    values.read(index, x);
    util::solve_lu(space.a, space.pivots, x);
    solved.write(index, x);
  }
  return result;
}

Tensor& linalg_lu_solve_out(KernelRuntimeContext& ctx, const Tensor& lu, const Tensor& pivots,
                            const Tensor& b, bool left, bool adjoint, Tensor& out) {
  util::Shape shape;
  if (!util::require_square(ctx, lu) || !util::require_matrices(ctx, b) ||
      !util::require_same_dtype(ctx, lu, b) || !util::require_same_dtype(ctx, lu, out) ||
      !require_ints(ctx, pivots) ||
      !util::require(ctx, are_pivots_of(pivots, lu), "the pivots must be those of the factors") ||
      !util::require(ctx, b.size(b.dim() - (left ? 2 : 1)) == lu.size(lu.dim() - 1),
                     "the right side must have the size of the matrices") ||
      !solution_shape(ctx, lu, View(b), shape) || !util::resize(ctx, shape, out)) {
    return out;
  }
  const View target(out);
  const auto of_left = [&](const View& view) {
    return left ? Matrices(view) : Matrices(view).transposed();
  };
  // From the right, the equation is that of the transposed matrix, and so is the adjoint one.
  const bool transposed = left == adjoint;
  const View factors = with_batch_of(target, View(lu));
  const Matrices from = transposed ? Matrices(factors).transposed() : Matrices(factors);
  const Matrices places(with_batch_of(target, as_columns(pivots, 1)));
  const Matrices values = of_left(with_batch_of(target, View(b)));
  const Matrices solved = of_left(target);
  const size_t n = solved.rows();
  double* memory = util::dense_memory(ctx, Workspace::size(n, n, n * (solved.columns() + 1)));
  if (memory == nullptr) {
    return out;
  }
  const Workspace space(memory, n, n);
  const Matrix x{space.more + n, n, solved.columns()};
  for (size_t index = 0; index < solved.count(); ++index) {
    from.read(index, space.a);
    places.read(index, {space.more, n, 1});
    for (size_t i = 0; i < n; ++i) {
      space.pivots[i] = static_cast<int32_t>(space.more[i]);
    }
    values.read(index, x);
    if (transposed) {
      util::solve_lu_transposed(space.a, space.pivots, x);
    } else {
      util::solve_lu(space.a, space.pivots, x);
    }
    solved.write(index, x);
  }
  return out;
}

Tensor& linalg_solve_triangular_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& b,
                                    bool upper, bool left, bool unitriangular, Tensor& out) {
  if (!util::require_square(ctx, in) || !util::require_matrices(ctx, b) ||
      !util::require_same_dtype(ctx, in, b) || !util::require_same_dtype(ctx, in, out)) {
    return out;
  }
  util::Shape shape;
  if (!util::require(ctx, b.size(b.dim() - (left ? 2 : 1)) == in.size(in.dim() - 1),
                     "the right side must have the size of the matrices") ||
      !solution_shape(ctx, in, View(b), shape) || !util::resize(ctx, shape, out)) {
    return out;
  }
  const View target(out);
  const auto of_left = [&](const View& view) {
    return left ? Matrices(view) : Matrices(view).transposed();
  };
  const Matrices from = of_left(with_batch_of(target, View(in)));
  const Matrices values = of_left(with_batch_of(target, View(b)));
  const Matrices solved = of_left(target);
  const size_t n = solved.rows();
  double* memory = util::dense_memory(ctx, n * n + n * solved.columns());
  if (memory == nullptr) {
    return out;
  }
  const Matrix a{memory, n, n};
  const Matrix x{memory + n * n, n, solved.columns()};
  for (size_t index = 0; index < solved.count(); ++index) {
    from.read(index, a);
    values.read(index, x);
    util::solve_triangular(a, upper == left, unitriangular, x);
    solved.write(index, x);
  }
  return out;
}

}  // namespace torch::executor::native
