#include <executorch/kernels/portable/cpu/internal/linear_algebra/equations.h>

namespace torch::executor::native {
namespace {

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

}  // namespace

Tensor& linalg_lu_solve_out(KernelRuntimeContext& ctx, const Tensor& lu, const Tensor& pivots,
                            const Tensor& b, bool left, bool adjoint, Tensor& out) {
  util::Shape shape;
  if (!util::require_square(ctx, lu) || !util::require_matrices(ctx, b) ||
      !util::require_same_dtype(ctx, lu, b) || !util::require_same_dtype(ctx, lu, out) ||
      !util::require_ints(ctx, pivots) ||
      !util::require(ctx, are_pivots_of(pivots, lu), "the pivots must be those of the factors") ||
      !util::require(ctx, b.size(b.dim() - (left ? 2 : 1)) == lu.size(lu.dim() - 1),
                     "the right side must have the size of the matrices") ||
      !util::solution_shape(ctx, lu, util::View(b), shape) || !util::resize(ctx, shape, out)) {
    return out;
  }
  const util::View target(out);
  // From the right, the equation is that of the transposed matrix, and so is the adjoint one.
  const bool transposed = left == adjoint;
  const util::View factors = util::with_batch_of(target, util::View(lu));
  const util::Matrices from =
      transposed ? util::Matrices(factors).transposed() : util::Matrices(factors);
  const util::Matrices places(util::with_batch_of(target, util::as_columns(pivots, 1)));
  const util::Matrices values = util::of_left(left, util::with_batch_of(target, util::View(b)));
  const util::Matrices solved = util::of_left(left, target);
  const size_t n = solved.rows();
  double* memory = util::dense_memory(
      ctx, solved, util::Workspace::size(n, n, n + util::area(n, solved.columns())));
  if (memory == nullptr) {
    return out;
  }
  const util::Workspace space(memory, n, n);
  const util::Matrix x{space.more + n, n, solved.columns()};
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

}  // namespace torch::executor::native
