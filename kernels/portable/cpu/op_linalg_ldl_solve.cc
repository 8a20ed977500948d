#include <executorch/kernels/portable/cpu/internal/linear_algebra/equations.h>
#include <executorch/kernels/portable/cpu/internal/linear_algebra/indefinite.h>

namespace torch::executor::native {
namespace {

/// Requires a line of Int for each of the matrices.
bool require_lines(KernelRuntimeContext& ctx, const Tensor& ld, const Tensor& pivots) {
  bool good = pivots.dim() == ld.dim() - 1;
  for (ssize_t d = 0; good && d < pivots.dim(); ++d) {
    good = pivots.size(d) == ld.size(d);
  }
  return util::require_ints(ctx, pivots) &&
         util::require(ctx, good, "the pivots must be those of the factors");
}

}  // namespace

Tensor& linalg_ldl_solve_out(KernelRuntimeContext& ctx, const Tensor& ld, const Tensor& pivots,
                             const Tensor& b, bool, Tensor& out) {
  util::Shape shape;
  if (!util::require_square(ctx, ld) || !util::require_matrices(ctx, b) ||
      !util::require_same_dtype(ctx, ld, b) || !util::require_same_dtype(ctx, ld, out) ||
      !require_lines(ctx, ld, pivots) ||
      !util::require(ctx, b.size(b.dim() - 2) == ld.size(ld.dim() - 1),
                     "the right side must have the size of the matrices") ||
      !util::solution_shape(ctx, ld, util::View(b), shape) || !util::resize(ctx, shape, out)) {
    return out;
  }
  const util::View target(out);
  const util::Matrices from(util::with_batch_of(target, util::View(ld)));
  const util::Matrices places(util::with_batch_of(target, util::as_columns(pivots, 1)));
  const util::Matrices values(util::with_batch_of(target, util::View(b)));
  const util::Matrices solved(target);
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
    if (!util::require(ctx, util::are_indefinite_pivots(space.pivots, n),
                       "the pivots must be those of the factors")) {
      return out;
    }
    values.read(index, x);
    util::solve_indefinite(space.a, space.pivots, x);
    solved.write(index, x);
  }
  return out;
}

}  // namespace torch::executor::native
