#include <tuple>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/equations.h>

namespace torch::executor::native {

std::tuple<Tensor&, Tensor&, Tensor&> linalg_lu_factor_ex_out(KernelRuntimeContext& ctx,
                                                              const Tensor& in, bool pivot,
                                                              bool check_errors, Tensor& lu,
                                                              Tensor& pivots, Tensor& info) {
  const std::tuple<Tensor&, Tensor&, Tensor&> result(lu, pivots, info);
  if (!util::require_matrices(ctx, in) || !util::require_same_dtype(ctx, in, lu) ||
      !util::require_ints(ctx, pivots) || !util::require_ints(ctx, info) ||
      !util::require(ctx, pivot, "there is no factorization without exchanges of rows")) {
    return result;
  }
  const util::Matrices from(in);
  const size_t few = from.rows() < from.columns() ? from.rows() : from.columns();
  if (!util::resize_like(ctx, in, lu) ||
      !util::resize_batch(ctx, in, {static_cast<int64_t>(few)}, pivots) ||
      !util::resize_batch(ctx, in, {}, info)) {
    return result;
  }
  double* memory =
      util::dense_memory(ctx, from, util::Workspace::size(from.rows(), from.columns(), few));
  if (memory == nullptr) {
    return result;
  }
  const util::Workspace space(memory, from.rows(), from.columns());
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, space.a);
    const int32_t state = util::factor_lu(space.a, space.pivots);
    if (!util::require_no_failure(ctx, check_errors, state)) {
      return result;
    }
    util::Matrices(lu).write(index, space.a);
    space.write(index, state, util::Matrices(util::as_columns(pivots, 1)),
                util::Matrices(util::as_columns(info, 2)));
  }
  return result;
}

}  // namespace torch::executor::native
