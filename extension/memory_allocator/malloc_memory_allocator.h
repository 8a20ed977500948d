#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include <executorch/extension/memory_allocator/memory_allocator_utils.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

/// A MemoryAllocator over malloc() for systems that have a heap.
///
/// It remembers what it gave out; reset() and the destructor give all of it back. Not thread safe.
class MallocMemoryAllocator : public runtime::MemoryAllocator {
 public:
  MallocMemoryAllocator() : MemoryAllocator(0, nullptr) {}

  MallocMemoryAllocator(const MallocMemoryAllocator&) = delete;
  MallocMemoryAllocator& operator=(const MallocMemoryAllocator&) = delete;

  ~MallocMemoryAllocator() override { release_all(); }

  /// `size` bytes that start at a multiple of `alignment`, a power of two; nullptr when that is not
  /// possible.
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
      ET_LOG(Error, "The alignment has to be a power of two, not %zu", alignment);
      return nullptr;
    }
    const runtime::Result<size_t> wanted = utils::get_aligned_size(size, alignment);
    if (!wanted.ok()) {
      return nullptr;
    }
    // malloc(0) may answer nullptr, which callers would take for a failure.
    void* block = std::malloc(*wanted > 0 ? *wanted : 1);
    if (block == nullptr) {
      ET_LOG(Error, "malloc(%zu) failed", *wanted);
      return nullptr;
    }
    blocks_.push_back(block);
    const auto address = reinterpret_cast<uintptr_t>(block);
    return reinterpret_cast<void*>((address + alignment - 1) &
                                   ~(static_cast<uintptr_t>(alignment) - 1));
  }

  /// Frees everything that was allocated so far.
  void reset() override { release_all(); }

 private:
  void release_all() {
    for (void* block : blocks_) {
      std::free(block);
    }
    blocks_.clear();
  }

  std::vector<void*> blocks_;
};

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::MallocMemoryAllocator;
}  // namespace util
}  // namespace executor
}  // namespace torch
