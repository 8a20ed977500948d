#include <tuple>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/equations.h>
#include <executorch/kernels/portable/cpu/internal/linear_algebra/indefinite.h>

namespace torch::executor::native {

std::tuple<Tensor&, Tensor&, Tensor&> linalg_ldl_factor_ex_out(KernelRuntimeContext& ctx,
                                                               const Tensor& in, bool,
                                                               bool check_errors, Tensor& ld,
                                                               Tensor& pivots, Tensor& info) {
  // A real matrix that is Hermitian is symmetric.
  const std::tuple<Tensor&, Tensor&, Tensor&> result(ld, pivots, info);
  if (!util::require_square(ctx, in) || !util::require_same_dtype(ctx, in, ld) ||
      !util::require_ints(ctx, pivots) || !util::require_ints(ctx, info) ||
      !util::resize_like(ctx, in, ld) ||
      !util::resize_batch(ctx, in, {in.size(in.dim() - 1)}, pivots) ||
      !util::resize_batch(ctx, in, {}, info)) {
    return result;
  }
  const util::Matrices from(in);
  const size_t n = from.rows();
  double* memory = util::dense_memory(ctx, from, util::Workspace::size(n, n, n));
  if (memory == nullptr) {
    return result;
  }
  const util::Workspace space(memory, n, n);
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, space.a);
    const int32_t state = util::factor_indefinite(space.a, space.pivots);
    if (!util::require_no_failure(ctx, check_errors, state)) {
      return result;
    }
    util::Matrices(ld).write(index, space.a);
    space.write(index, state, util::Matrices(util::as_columns(pivots, 1)),
                util::Matrices(util::as_columns(info, 2)));
  }
  return result;
}

}  // namespace torch::executor::native
