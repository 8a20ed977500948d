#include <tuple>

#include <executorch/kernels/portable/cpu/internal/moments.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
std::tuple<Tensor&, Tensor&> var_mean_correction_out(KernelRuntimeContext& ctx, const Tensor& in,
                                                     OptionalArrayRef<int64_t> dim,
                                                     const optional<Scalar>& correction,
                                                     bool keepdim, Tensor& out0, Tensor& out1) {
  const double removed = correction.has_value() ? util::ScalarValue(*correction).d : 1.0;
  if (util::variance(ctx, in, dim, removed, keepdim, out0)) {
    util::mean(ctx, in, dim, keepdim, out1);
  }
  return {out0, out1};
}

}  // namespace torch::executor::native
