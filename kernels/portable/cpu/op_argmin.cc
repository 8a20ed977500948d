#include <executorch/kernels/portable/cpu/internal/extremum.h>
#include <executorch/kernels/portable/cpu/internal/reduce.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& argmin_out(KernelRuntimeContext& ctx, const Tensor& in, optional<int64_t> dim, bool keepdim,
                   Tensor& out) {
  util::arg_extremum<util::Smallest>(ctx, in, dim, keepdim, nullptr, out);
  return out;
}

}  // namespace torch::executor::native
