#include <string_view>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/dense.h>

namespace torch::executor::native {

std::tuple<Tensor&, Tensor&> linalg_qr_out(KernelRuntimeContext& ctx, const Tensor& in,
                                           std::string_view mode, Tensor& q, Tensor& r) {
  const std::tuple<Tensor&, Tensor&> result(q, r);
  const bool only_r = mode == "r";
  if (!util::require_matrices(ctx, in) || !util::require_same_dtype(ctx, in, q) ||
      !util::require_same_dtype(ctx, in, r) ||
      !util::require(ctx, only_r || mode == "reduced" || mode == "complete",
                     "the mode must be reduced, complete or r")) {
    return result;
  }
  const util::Matrices from(in);
  const size_t rows = from.rows();
  const size_t columns = from.columns();
  const size_t few = rows < columns ? rows : columns;
  const size_t inner = mode == "complete" ? rows : few;
  const int64_t none = 0;
  const bool sized =
      only_r ? util::resize(ctx, IntArrayRef(&none, 1), q)
             : util::resize_batch(ctx, in,
                                  {static_cast<int64_t>(rows), static_cast<int64_t>(inner)}, q);
  if (!sized || !util::resize_batch(
                    ctx, in, {static_cast<int64_t>(inner), static_cast<int64_t>(columns)}, r)) {
    return result;
  }
  double* memory =
      util::dense_memory(ctx, from, util::area(rows, columns) + few + util::area(rows, inner));
  if (memory == nullptr) {
    return result;
  }
  const util::Matrix a{memory, rows, columns};
  double* tau = memory + rows * columns;
  const util::Matrix orthogonal{tau + few, rows, inner};
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, a);
    util::factor_qr(a, tau);
    if (!only_r) {
      util::form_q(a, tau, orthogonal);
      util::Matrices(q).write(index, orthogonal);
    }
    for (size_t row = 1; row < rows; ++row) {
      for (size_t c = 0; c < row && c < columns; ++c) {
        a.at(row, c) = 0;
      }
    }
    util::Matrices(r).write(index, {a.data, inner, columns});
  }
  return result;
}

}  // namespace torch::executor::native
