#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/scan.h>

namespace torch::executor::native {
Tensor& cumprod_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                    optional<ScalarType> dtype, Tensor& out) {
  return util::scan(ctx, in, dim, dtype, 1, out,
                    [](auto product, auto x) { return util::wrapping_mul(product, x); });
}

}  // namespace torch::executor::native
