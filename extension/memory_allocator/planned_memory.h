#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/method_meta.h>

namespace executorch {
namespace extension {

/// The arenas that a method's memory plan asks for, taken from the heap.
///
/// Arenas start at multiples of kAlignment and are zero in the beginning. The object stays where it
/// is made: the allocator inside points to its neighbours.
class PlannedMemory final {
 public:
  static constexpr size_t kAlignment = 64;

  /// One arena for each entry of `sizes`, in bytes. MemoryAllocationFailed when the heap has not
  /// that much.
  static runtime::Result<std::unique_ptr<PlannedMemory>> create(const std::vector<size_t>& sizes);

  /// The arenas of one method.
  static runtime::Result<std::unique_ptr<PlannedMemory>> create(const runtime::MethodMeta& meta);

  /// The sizes of a method's arenas in bytes. InvalidProgram when one of them is negative.
  static runtime::Result<std::vector<size_t>> sizes_of(const runtime::MethodMeta& meta);

  PlannedMemory(const PlannedMemory&) = delete;
  PlannedMemory& operator=(const PlannedMemory&) = delete;

  /// What to give to a MemoryManager; lives as long as this object.
  runtime::HierarchicalAllocator* allocator() { return allocator_.get(); }

  const std::vector<runtime::Span<uint8_t>>& arenas() const { return arenas_; }

  size_t total_bytes() const;

 private:
  struct Free {
    void operator()(void* block) const;
  };

  PlannedMemory() = default;

  std::vector<std::unique_ptr<void, Free>> blocks_;
  std::vector<runtime::Span<uint8_t>> arenas_;
  std::unique_ptr<runtime::HierarchicalAllocator> allocator_;
};

}  // namespace extension
}  // namespace executorch
