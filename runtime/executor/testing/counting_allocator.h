/**
 * @file
 * An allocator that tests ask what it gave.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <executorch/runtime/core/memory_allocator.h>

namespace executorch {
namespace runtime {
namespace testing {

/// Gives memory from the heap, at most `limit` bytes, and keeps it for as long as it lives.
class CountingAllocator final : public MemoryAllocator {
 public:
  explicit CountingAllocator(size_t limit = 1 << 20) : MemoryAllocator(0, nullptr), limit(limit) {}

  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    if (size > limit - given) {
      return nullptr;
    }
    given += size;
    sizes.push_back(size);
    blocks_.push_back(std::make_unique<uint8_t[]>(size + alignment));
    return alignPointer(blocks_.back().get(), alignment);
  }

  size_t limit;
  /// Bytes, altogether and of each allocation.
  size_t given = 0;
  std::vector<size_t> sizes;

 private:
  std::vector<std::unique_ptr<uint8_t[]>> blocks_;
};

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
