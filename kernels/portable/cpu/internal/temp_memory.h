/**
 * @file
 * Memory that a kernel works in, from the allocator that the memory manager has for it.
 */
#pragma once

#include <executorch/runtime/kernel/kernel_includes.h>

namespace torch::executor::native::util {

/// What `temp_memory` stands on: `count` elements of a size and an alignment.
void* temp_bytes(KernelRuntimeContext& ctx, uint64_t count, size_t element_size, size_t alignment,
                 const char* what);

/**
 * Temporary memory for `count` elements, or for one if `count` is 0. Fails the kernel and returns
 * null if there is none, also where a size_t has no room for the bytes.
 * @param what What takes the memory, for the message.
 */
template <typename T>
T* temp_memory(KernelRuntimeContext& ctx, uint64_t count, const char* what) {
  return static_cast<T*>(temp_bytes(ctx, count, sizeof(T), alignof(T), what));
}

}  // namespace torch::executor::native::util
