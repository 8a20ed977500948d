#include <executorch/kernels/portable/cpu/internal/memory_format.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
using executorch::aten::MemoryFormat;

Tensor& clone_out(KernelRuntimeContext& ctx, const Tensor& in, optional<MemoryFormat> memory_format,
                  Tensor& out) {
  if (util::require_memory_format(ctx, memory_format) && util::require_same_dtype(ctx, in, out) &&
      util::resize_like(ctx, in, out)) {
    util::copy(util::View(in), util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
