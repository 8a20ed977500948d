#include <executorch/kernels/portable/cpu/internal/memory_format.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>

namespace torch::executor::native {
using executorch::aten::MemoryFormat;

Tensor& full_like_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& fill_value,
                      optional<MemoryFormat> memory_format, Tensor& out) {
  if (util::require_memory_format(ctx, memory_format) && util::require_real(ctx, out) &&
      util::require_representable(ctx, fill_value, out) && util::resize_like(ctx, in, out)) {
    util::fill(util::ScalarValue(fill_value), out);
  }
  return out;
}

}  // namespace torch::executor::native
