#include <executorch/runtime/core/memory_allocator.h>

namespace executorch {
namespace runtime {

void* MemoryAllocator::bump(size_t size, size_t alignment) {
  if (!isPowerOf2(alignment)) {
    ET_LOG(Error, "alignment %zu is not a power of two", alignment);
    return nullptr;
  }
  // Compare counts, not addresses: sums of addresses may wrap around.
  const size_t free = free_size();
  const size_t pad = padding(reinterpret_cast<uintptr_t>(cur_), alignment);
  if (pad > free || size > free - pad) {
    ET_LOG(Error,
           "allocation of %zu bytes (aligned to %zu) failed: %zu of %" PRIu32 " bytes are free",
           size, alignment, free, size_);
    return nullptr;
  }
  uint8_t* const start = cur_ + pad;
  cur_ = start + size;
  return start;
}

}  // namespace runtime
}  // namespace executorch
