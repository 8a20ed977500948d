#include <executorch/kernels/portable/cpu/internal/linear_algebra/equations.h>

namespace torch::executor::native {

Tensor& linalg_lu_solve_out(KernelRuntimeContext& ctx, const Tensor& lu, const Tensor& pivots,
                            const Tensor& b, bool left, bool adjoint, Tensor& out) {
  util::Shape shape;
  if (!util::require_square(ctx, lu) || !util::require_matrices(ctx, b) ||
      !util::require_same_dtype(ctx, lu, b) || !util::require_same_dtype(ctx, lu, out) ||
      !util::require_pivots_of(ctx, lu, pivots) ||
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
    space.read_pivots(index, places);
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
