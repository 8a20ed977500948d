#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Gives memory from the platform (`et_pal_allocate`), one block for each allocation.
///
/// The executor uses one for scratch memory if the caller's `MemoryManager` has no temporary
/// allocator. On a platform without allocation every request fails.
class PlatformMemoryAllocator final : public MemoryAllocator {
 public:
  PlatformMemoryAllocator() : MemoryAllocator(0, nullptr) {}

  ~PlatformMemoryAllocator() override { free_all(); }

  PlatformMemoryAllocator(const PlatformMemoryAllocator&) = delete;
  PlatformMemoryAllocator& operator=(const PlatformMemoryAllocator&) = delete;
  PlatformMemoryAllocator(PlatformMemoryAllocator&&) = delete;
  PlatformMemoryAllocator& operator=(PlatformMemoryAllocator&&) = delete;

  /// @param size Bytes.
  /// @param alignment A power of two.
  /// @return Null if the platform has not enough memory, or the alignment is none.
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
      ET_LOG(Error, "Alignment %zu is not a power of two", alignment);
      return nullptr;
    }
    // The block starts with its node, the memory follows at the next multiple of the alignment.
    const size_t overhead = sizeof(Node) + alignment - 1;
    if (overhead < alignment || size > SIZE_MAX - overhead) {
      ET_LOG(Error, "Allocation of %zu bytes with alignment %zu overflows", size, alignment);
      return nullptr;
    }
    void* block = pal_allocate(overhead + size);
    if (block == nullptr) {
      ET_LOG(Error, "The platform could not allocate %zu bytes", overhead + size);
      return nullptr;
    }
    Node* node = static_cast<Node*>(block);
    node->next = head_;
    head_ = node;
    const uintptr_t start = reinterpret_cast<uintptr_t>(node + 1);
    return reinterpret_cast<void*>((start + alignment - 1) & ~(alignment - 1));
  }

  /// Gives all memory back; everything allocated before becomes invalid.
  void reset() override { free_all(); }

 private:
  struct Node {
    Node* next;
  };

  void free_all() {
    while (head_ != nullptr) {
      Node* next = head_->next;
      pal_free(head_);
      head_ = next;
    }
  }

  Node* head_ = nullptr;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
