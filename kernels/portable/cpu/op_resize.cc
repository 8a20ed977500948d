#include <cstring>

#include <executorch/kernels/portable/cpu/internal/memory_format.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
using executorch::aten::MemoryFormat;

/// Elements keep their places in memory; those beyond the input's are zero.
Tensor& resize_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef size,
                   optional<MemoryFormat> memory_format, Tensor& out) {
  if (util::require_memory_format(ctx, memory_format) && util::require_same_dtype(ctx, in, out) &&
      util::resize(ctx, size, out)) {
    const size_t present = in.nbytes() < out.nbytes() ? in.nbytes() : out.nbytes();
    char* to = static_cast<char*>(out.mutable_data_ptr());
    std::memmove(to, in.const_data_ptr(), present);
    std::memset(to + present, 0, out.nbytes() - present);
  }
  return out;
}

}  // namespace torch::executor::native
