#include <executorch/kernels/portable/cpu/internal/moments.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& var_out(KernelRuntimeContext& ctx, const Tensor& in, OptionalArrayRef<int64_t> dim,
                bool unbiased, bool keepdim, Tensor& out) {
  util::variance(ctx, in, dim, unbiased ? 1.0 : 0.0, keepdim, out);
  return out;
}

Tensor& var_correction_out(KernelRuntimeContext& ctx, const Tensor& in,
                           OptionalArrayRef<int64_t> dim, const optional<Scalar>& correction,
                           bool keepdim, Tensor& out) {
  const double removed = correction.has_value() ? util::ScalarValue(*correction).d : 1.0;
  util::variance(ctx, in, dim, removed, keepdim, out);
  return out;
}

}  // namespace torch::executor::native
