#include <tuple>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/dense.h>

namespace torch::executor::native {

std::tuple<Tensor&, Tensor&> linalg_cholesky_ex_L(KernelRuntimeContext& ctx, const Tensor& in,
                                                  bool upper, bool check_errors, Tensor& factor,
                                                  Tensor& info) {
  const std::tuple<Tensor&, Tensor&> result(factor, info);
  if (!util::require_square(ctx, in) || !util::require_same_dtype(ctx, in, factor) ||
      !util::require(ctx, info.scalar_type() == ScalarType::Int, "info must be Int") ||
      !util::resize_like(ctx, in, factor) || !util::resize_batch(ctx, in, {}, info)) {
    return result;
  }
  const util::Matrices from = upper ? util::Matrices(in).transposed() : util::Matrices(in);
  const util::Matrices to = upper ? util::Matrices(factor).transposed() : util::Matrices(factor);
  const size_t n = from.rows();
  double* memory = util::dense_memory(ctx, from, util::area(n, n));
  if (memory == nullptr) {
    return result;
  }
  const util::Matrix a{memory, n, n};
  int32_t* states = static_cast<int32_t*>(info.mutable_data_ptr());
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, a);
    states[index] = util::factor_cholesky(a);
    if (!util::require(ctx, !check_errors || states[index] == 0,
                       "a matrix is not positive definite")) {
      return result;
    }
    to.write(index, a);
  }
  return result;
}

}  // namespace torch::executor::native
