#include <tuple>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/equations.h>

namespace torch::executor::native {
namespace {

/// True if `b` has a vector for each matrix of `a`, and not a matrix.
bool is_vector(const Tensor& a, const Tensor& b) {
  bool same = b.dim() + 1 == a.dim();
  for (ssize_t d = 0; same && d < b.dim(); ++d) {
    same = a.size(d) == b.size(d);
  }
  return same || b.dim() == 1;
}

}  // namespace

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> _linalg_solve_ex_result(
    KernelRuntimeContext& ctx, const Tensor& in, const Tensor& b, bool left, bool check_errors,
    Tensor& solution, Tensor& lu, Tensor& pivots, Tensor& info) {
  const std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> result(solution, lu, pivots, info);
  if (!util::require_square(ctx, in) ||
      !util::require(ctx, b.dim() > 0, "the right side must have a dimension") ||
      !util::require_same_dtype(ctx, in, b) || !util::require_same_dtype(ctx, in, solution) ||
      !util::require_same_dtype(ctx, in, lu) || !util::require_ints(ctx, pivots) ||
      !util::require_ints(ctx, info)) {
    return result;
  }
  const bool vector = is_vector(in, b);
  const size_t n = static_cast<size_t>(in.size(in.dim() - 1));
  const util::View right = util::as_columns(b, vector ? 1 : 0);
  util::Shape shape;
  if (!util::require(ctx, left || !vector, "a vector has no columns to multiply from the left") ||
      !util::require(ctx, right.size[right.rank - (left ? 2 : 1)] == n,
                     "the right side must have the size of the matrices") ||
      !util::solution_shape(ctx, in, right, shape)) {
    return result;
  }
  shape.rank -= vector ? 1 : 0;
  if (!util::resize(ctx, shape, solution) || !util::resize_like(ctx, in, lu) ||
      !util::resize_batch(ctx, in, {in.size(in.dim() - 1)}, pivots) ||
      !util::resize_batch(ctx, in, {}, info)) {
    return result;
  }
  const util::View target = util::as_columns(solution, vector ? 1 : 0);
  const util::Matrices from = util::of_left(left, util::View(in));
  const util::Matrices spread = util::of_left(left, util::with_batch_of(target, util::View(in)));
  const util::Matrices values = util::of_left(left, util::with_batch_of(target, right));
  const util::Matrices solved = util::of_left(left, target);
  const size_t columns = solved.columns();
  double* memory = util::dense_memory(
      ctx, from, util::Workspace::size(n, n, util::area(n, columns > 0 ? columns : 1)));
  if (memory == nullptr) {
    return result;
  }
  const util::Workspace space(memory, n, n);
  const util::Matrix x{space.more, n, columns};
  const auto solve = [&](size_t index) {
    values.read(index, x);
    util::solve_lu(space.a, space.pivots, x);
    solved.write(index, x);
  };
  // Each matrix has factors, also where no equation has it.
  const bool one_each = solved.count() == from.count();
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, space.a);
    const int32_t state = util::factor_lu(space.a, space.pivots);
    if (!util::require_no_failure(ctx, check_errors, state)) {
      return result;
    }
    util::Matrices(lu).write(index, space.a);
    space.write(index, state, util::Matrices(util::as_columns(pivots, 1)),
                util::Matrices(util::as_columns(info, 2)));
    if (one_each) {
      solve(index);
    }
  }
  for (size_t index = 0; index < solved.count() && !one_each; ++index) {
    if (from.count() > 1) {
      spread.read(index, space.a);
      util::factor_lu(space.a, space.pivots);
    }
    solve(index);
  }
  return result;
}

}  // namespace torch::executor::native
