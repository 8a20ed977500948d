#include <executorch/kernels/portable/cpu/internal/linear_algebra/equations.h>

namespace torch::executor::native {

Tensor& linalg_householder_product_out(KernelRuntimeContext& ctx, const Tensor& in,
                                       const Tensor& tau, Tensor& out) {
  if (!util::require_matrices(ctx, in) || !util::require_same_dtype(ctx, in, tau) ||
      !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, tau.dim() + 1 == in.dim(), "needs a line of factors for each matrix")) {
    return out;
  }
  const util::Matrices from(in);
  const size_t rows = from.rows();
  const size_t columns = from.columns();
  const size_t count = static_cast<size_t>(tau.size(tau.dim() - 1));
  bool fits = count <= columns && columns <= rows;
  for (ssize_t d = 0; d + 1 < tau.dim(); ++d) {
    fits = fits && tau.size(d) == in.size(d);
  }
  if (!util::require(ctx, fits, "needs no more factors than columns, no more columns than rows") ||
      !util::resize_like(ctx, in, out)) {
    return out;
  }
  double* memory =
      util::dense_memory(ctx, from, util::area(rows, count) + count + util::area(rows, columns));
  if (memory == nullptr) {
    return out;
  }
  const util::Matrix vectors{memory, rows, count};
  const util::Matrix factors{memory + rows * count, count, 1};
  const util::Matrix q{factors.data + count, rows, columns};
  const util::Matrices lines(util::as_columns(tau, 1));
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, vectors);
    lines.read(index, factors);
    util::form_q(vectors, factors.data, q);
    util::Matrices(out).write(index, q);
  }
  return out;
}

}  // namespace torch::executor::native
