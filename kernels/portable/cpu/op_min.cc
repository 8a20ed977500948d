#include <tuple>

#include <executorch/kernels/portable/cpu/internal/extremum.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
std::tuple<Tensor&, Tensor&> min_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                                     bool keepdim, Tensor& min, Tensor& min_indices) {
  if (util::require(ctx, in.scalar_type() == min.scalar_type(),
                    "the values need the input's dtype")) {
    util::arg_extremum<util::Smallest>(ctx, in, dim, keepdim, &min, min_indices);
  }
  return {min, min_indices};
}

Tensor& min_unary_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::reduce_extremum<util::Smallest>(ctx, in, IntArrayRef(), false, out);
}

}  // namespace torch::executor::native
