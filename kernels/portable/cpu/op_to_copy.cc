#include <executorch/kernels/portable/cpu/internal/memory_format.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
using executorch::aten::MemoryFormat;

Tensor& to_copy_out(KernelRuntimeContext& ctx, const Tensor& in, bool non_blocking,
                    optional<MemoryFormat> memory_format, Tensor& out) {
  (void)non_blocking;  // a copy that is done on return is allowed
  if (util::require_memory_format(ctx, memory_format) && util::require_convertible(ctx, in, out) &&
      util::resize_like(ctx, in, out)) {
    util::copy(util::View(in), util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
