#include <executorch/kernels/portable/cpu/util/pointwise.h>

namespace torch::executor::native {
using executorch::aten::MemoryFormat;

Tensor& empty_out(KernelRuntimeContext& ctx, IntArrayRef sizes,
                  optional<MemoryFormat> memory_format, Tensor& out) {
  (void)memory_format;  // the output's dim order says it
  util::resize(ctx, sizes, out);
  return out;
}

}  // namespace torch::executor::native
