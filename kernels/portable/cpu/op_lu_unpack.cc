#include <tuple>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/equations.h>

namespace torch::executor::native {
namespace {

/// Takes of `lu` what is below the diagonal, and ones on it, or else the rest.
void take_triangle(const util::Matrix& lu, bool lower, const util::Matrix& to) {
  for (size_t r = 0; r < to.rows; ++r) {
    for (size_t c = 0; c < to.columns; ++c) {
      const bool kept = lower ? c < r : c >= r;
      to.at(r, c) = kept ? lu.at(r, c) : lower && r == c ? 1 : 0;
    }
  }
}

}  // namespace

std::tuple<Tensor&, Tensor&, Tensor&> lu_unpack_out(KernelRuntimeContext& ctx, const Tensor& lu,
                                                    const Tensor& pivots, bool unpack_data,
                                                    bool unpack_pivots, Tensor& p, Tensor& l,
                                                    Tensor& u) {
  const std::tuple<Tensor&, Tensor&, Tensor&> result(p, l, u);
  if (!util::require_matrices(ctx, lu) || !util::require_same_dtype(ctx, lu, p) ||
      !util::require_same_dtype(ctx, lu, l) || !util::require_same_dtype(ctx, lu, u) ||
      (unpack_pivots && !util::require_pivots_of(ctx, lu, pivots))) {
    return result;
  }
  const util::Matrices from(lu);
  const int64_t rows = static_cast<int64_t>(from.rows());
  const int64_t columns = static_cast<int64_t>(from.columns());
  const int64_t few = rows < columns ? rows : columns;
  const int64_t none = 0;
  const IntArrayRef nothing(&none, 1);
  if (!(unpack_pivots ? util::resize_batch(ctx, lu, {rows, rows}, p)
                      : util::resize(ctx, nothing, p)) ||
      !(unpack_data ? util::resize_batch(ctx, lu, {rows, few}, l) &&
                          util::resize_batch(ctx, lu, {few, columns}, u)
                    : util::resize(ctx, nothing, l) && util::resize(ctx, nothing, u))) {
    return result;
  }
  const size_t m = from.rows();
  const size_t n = from.columns();
  const size_t k = static_cast<size_t>(few);
  double* memory =
      util::dense_memory(ctx, from, util::Workspace::size(m, n, k + util::area(m, m < n ? n : m)));
  if (memory == nullptr) {
    return result;
  }
  const util::Workspace space(memory, m, n);
  double* part = space.more + k;
  for (size_t index = 0; index < from.count(); ++index) {
    if (unpack_data) {
      from.read(index, space.a);
      take_triangle(space.a, /*lower=*/true, {part, m, k});
      util::Matrices(l).write(index, {part, m, k});
      take_triangle(space.a, /*lower=*/false, {part, k, n});
      util::Matrices(u).write(index, {part, k, n});
    }
    if (unpack_pivots) {
      space.read_pivots(index, util::Matrices(util::as_columns(pivots, 1)));
      util::set_identity({part, m, m});
      util::exchange_rows_back(space.pivots, k, {part, m, m});
      util::Matrices(p).write(index, {part, m, m});
    }
  }
  return result;
}

}  // namespace torch::executor::native
