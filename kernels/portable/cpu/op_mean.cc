#include <executorch/kernels/portable/cpu/internal/moments.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

bool check_dtype(KernelRuntimeContext& ctx, const Tensor& in, const optional<ScalarType>& dtype,
                 const Tensor& out) {
  return util::require(
      ctx, dtype.has_value() ? *dtype == out.scalar_type() : util::is_floating(in.scalar_type()),
      "mean of integers needs the output's floating dtype");
}

}  // namespace

Tensor& mean_dim_out(KernelRuntimeContext& ctx, const Tensor& in, OptionalArrayRef<int64_t> dim,
                     bool keepdim, optional<ScalarType> dtype, Tensor& out) {
  if (check_dtype(ctx, in, dtype, out)) {
    util::mean(ctx, in, dim, keepdim, out);
  }
  return out;
}

Tensor& mean_dtype_out(KernelRuntimeContext& ctx, const Tensor& in, optional<ScalarType> dtype,
                       Tensor& out) {
  if (check_dtype(ctx, in, dtype, out)) {
    util::mean(ctx, in, OptionalArrayRef<int64_t>(), false, out);
  }
  return out;
}

}  // namespace torch::executor::native
