#include <executorch/kernels/portable/cpu/internal/linear_algebra/equations.h>

namespace torch::executor::native {

Tensor& linalg_solve_triangular_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& b,
                                    bool upper, bool left, bool unitriangular, Tensor& out) {
  if (!util::require_square(ctx, in) || !util::require_matrices(ctx, b) ||
      !util::require_same_dtype(ctx, in, b) || !util::require_same_dtype(ctx, in, out)) {
    return out;
  }
  util::Shape shape;
  if (!util::require(ctx, b.size(b.dim() - (left ? 2 : 1)) == in.size(in.dim() - 1),
                     "the right side must have the size of the matrices") ||
      !util::solution_shape(ctx, in, util::View(b), shape) || !util::resize(ctx, shape, out)) {
    return out;
  }
  const util::View target(out);
  const util::Matrices from = util::of_left(left, util::with_batch_of(target, util::View(in)));
  const util::Matrices values = util::of_left(left, util::with_batch_of(target, util::View(b)));
  const util::Matrices solved = util::of_left(left, target);
  const size_t n = solved.rows();
  double* memory =
      util::dense_memory(ctx, solved, util::area(n, n) + util::area(n, solved.columns()));
  if (memory == nullptr) {
    return out;
  }
  const util::Matrix a{memory, n, n};
  const util::Matrix x{memory + n * n, n, solved.columns()};
  for (size_t index = 0; index < solved.count(); ++index) {
    from.read(index, a);
    values.read(index, x);
    util::solve_triangular(a, upper == left, unitriangular, x);
    solved.write(index, x);
  }
  return out;
}

}  // namespace torch::executor::native
