#include <executorch/kernels/portable/cpu/internal/temp_memory.h>

namespace torch::executor::native::util {

void* temp_bytes(KernelRuntimeContext& ctx, uint64_t count, size_t element_size, size_t alignment,
                 const char* what) {
  ET_KERNEL_CHECK_MSG(ctx, count <= SIZE_MAX / element_size, MemoryAllocationFailed, nullptr,
                      "%s of this size take more memory than can be addressed", what);
  const size_t bytes = (count > 0 ? static_cast<size_t>(count) : 1) * element_size;
  const auto memory = ctx.allocate_temp(bytes, alignment);
  ET_KERNEL_CHECK_MSG(ctx, memory.ok(), MemoryAllocationFailed, nullptr,
                      "%s of this size take %zu bytes of temporary memory: give the memory manager "
                      "a temp allocator",
                      what, bytes);
  return *memory;
}

}  // namespace torch::executor::native::util
