#include <tuple>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/equations.h>

namespace torch::executor::native {

std::tuple<Tensor&, Tensor&> geqrf_a(KernelRuntimeContext& ctx, const Tensor& in, Tensor& a,
                                     Tensor& tau) {
  const std::tuple<Tensor&, Tensor&> result(a, tau);
  if (!util::require_matrices(ctx, in) || !util::require_same_dtype(ctx, in, a) ||
      !util::require_same_dtype(ctx, in, tau)) {
    return result;
  }
  const util::Matrices from(in);
  const size_t few = from.rows() < from.columns() ? from.rows() : from.columns();
  if (!util::resize_like(ctx, in, a) ||
      !util::resize_batch(ctx, in, {static_cast<int64_t>(few)}, tau)) {
    return result;
  }
  double* memory = util::dense_memory(ctx, from, util::area(from.rows(), from.columns()) + few);
  if (memory == nullptr) {
    return result;
  }
  const util::Matrix factored{memory, from.rows(), from.columns()};
  const util::Matrix factors{memory + from.rows() * from.columns(), few, 1};
  const util::Matrices lines(util::as_columns(tau, 1));
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, factored);
    util::factor_qr(factored, factors.data);
    util::Matrices(a).write(index, factored);
    lines.write(index, factors);
  }
  return result;
}

}  // namespace torch::executor::native
