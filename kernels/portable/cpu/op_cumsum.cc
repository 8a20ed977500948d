#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/scan.h>

namespace torch::executor::native {
Tensor& cumsum_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                   optional<ScalarType> dtype, Tensor& out) {
  return util::scan(ctx, in, dim, dtype, 0, out,
                    [](auto sum, auto x) { return util::wrapping_add(sum, x); });
}

}  // namespace torch::executor::native
