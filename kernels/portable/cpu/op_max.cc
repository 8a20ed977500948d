#include <tuple>

#include <executorch/kernels/portable/cpu/internal/extremum.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
std::tuple<Tensor&, Tensor&> max_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                                     bool keepdim, Tensor& max, Tensor& max_indices) {
  if (util::require(ctx, in.scalar_type() == max.scalar_type(),
                    "the values need the input's dtype")) {
    util::arg_extremum<util::Largest>(ctx, in, dim, keepdim, &max, max_indices);
  }
  return {max, max_indices};
}

Tensor& max_unary_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return util::reduce_extremum<util::Largest>(ctx, in, IntArrayRef(), false, out);
}

}  // namespace torch::executor::native
