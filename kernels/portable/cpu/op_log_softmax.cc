#include <executorch/kernels/portable/cpu/internal/softmax.h>

namespace torch::executor::native {
Tensor& log_softmax_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                        bool half_to_float, Tensor& out) {
  return util::softmax(ctx, in, dim, half_to_float, /*logarithm=*/true, out);
}

}  // namespace torch::executor::native
