#include <executorch/kernels/portable/cpu/internal/memory_format.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
using executorch::aten::MemoryFormat;

Tensor& empty_out(KernelRuntimeContext& ctx, IntArrayRef sizes,
                  optional<MemoryFormat> memory_format, Tensor& out) {
  if (util::require_memory_format(ctx, memory_format)) {
    util::resize(ctx, sizes, out);
  }
  return out;
}

}  // namespace torch::executor::native
