#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>

namespace executorch {
namespace extension {

/// A MallocMemoryAllocator that notes how large one buffer has to be for the same calls: what a
/// MemoryAllocator over it needs, if it starts at a multiple of the largest alignment that is asked
/// for.
///
/// A method that is loaded with it says how large its pool must be on a system with as wide
/// pointers; with narrower ones it is enough.
class MeasuringMemoryAllocator : public MallocMemoryAllocator {
 public:
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    void* block = MallocMemoryAllocator::allocate(size, alignment);
    if (block != nullptr) {
      used_ = ((used_ + alignment - 1) & ~(alignment - 1)) + size;
      most_used_ = std::max(most_used_, used_);
    }
    return block;
  }

  void reset() override {
    MallocMemoryAllocator::reset();
    used_ = 0;
  }

  /// Bytes since construction or reset(), padding included.
  size_t used_size() const override { return used_; }

  /// The most that used_size() has been.
  size_t most_used_size() const { return most_used_; }

 private:
  size_t used_ = 0;
  size_t most_used_ = 0;
};

}  // namespace extension
}  // namespace executorch
