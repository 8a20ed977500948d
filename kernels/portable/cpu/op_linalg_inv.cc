#include <tuple>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/equations.h>

namespace torch::executor::native {

std::tuple<Tensor&, Tensor&> linalg_inv_ex_inverse(KernelRuntimeContext& ctx, const Tensor& in,
                                                   bool check_errors, Tensor& inverse,
                                                   Tensor& info) {
  const std::tuple<Tensor&, Tensor&> result(inverse, info);
  if (!util::require_square(ctx, in) || !util::require_same_dtype(ctx, in, inverse) ||
      !util::require_ints(ctx, info) || !util::resize_like(ctx, in, inverse) ||
      !util::resize_batch(ctx, in, {}, info)) {
    return result;
  }
  const util::Matrices from(in);
  const size_t n = from.rows();
  double* memory = util::dense_memory(ctx, from, util::Workspace::size(n, n, util::area(n, n)));
  if (memory == nullptr) {
    return result;
  }
  const util::Workspace space(memory, n, n);
  const util::Matrix x{space.more, n, n};
  int32_t* states = static_cast<int32_t*>(info.mutable_data_ptr());
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, space.a);
    states[index] = util::factor_lu(space.a, space.pivots);
    if (!util::require_no_failure(ctx, check_errors, states[index])) {
      return result;
    }
    util::set_identity(x);
    util::solve_lu(space.a, space.pivots, x);
    util::Matrices(inverse).write(index, x);
  }
  return result;
}

}  // namespace torch::executor::native
