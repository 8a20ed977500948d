#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/memory_manager.h>

namespace executorch {
namespace runtime {
namespace testing {

/// A MemoryManager with the memory that it manages: one planned buffer, and a method allocator of a
/// fixed size or of the caller's. Uses the heap; for tests.
class ManagedMemoryManager {
 public:
  /// @param planned_memory_bytes   Size of the one planned buffer.
  /// @param method_allocator_bytes Size of the method allocator's memory.
  /// @param temp_allocator         May be null; must outlive this object.
  ManagedMemoryManager(size_t planned_memory_bytes, size_t method_allocator_bytes,
                       MemoryAllocator* temp_allocator = nullptr)
      : planned_memory_(new uint8_t[planned_memory_bytes]()),
        planned_span_(planned_memory_.get(), planned_memory_bytes),
        planned_({&planned_span_, 1}),
        method_pool_(new uint8_t[method_allocator_bytes]()),
        own_method_allocator_(method_allocator_bytes, method_pool_.get()),
        manager_(&own_method_allocator_, &planned_, temp_allocator) {}

  /// The same with a method allocator of the caller's, which must outlive this object.
  ManagedMemoryManager(size_t planned_memory_bytes, MemoryAllocator* method_allocator,
                       MemoryAllocator* temp_allocator = nullptr)
      : planned_memory_(new uint8_t[planned_memory_bytes]()),
        planned_span_(planned_memory_.get(), planned_memory_bytes),
        planned_({&planned_span_, 1}),
        own_method_allocator_(0, nullptr),
        manager_(method_allocator, &planned_, temp_allocator) {}

  ManagedMemoryManager(const ManagedMemoryManager&) = delete;
  ManagedMemoryManager& operator=(const ManagedMemoryManager&) = delete;

  MemoryManager& get() { return manager_; }

 private:
  std::unique_ptr<uint8_t[]> planned_memory_;
  Span<uint8_t> planned_span_;
  HierarchicalAllocator planned_;
  std::unique_ptr<uint8_t[]> method_pool_;
  MemoryAllocator own_method_allocator_;
  MemoryManager manager_;
};

}  // namespace testing
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
namespace testing {
using ::executorch::runtime::testing::ManagedMemoryManager;
}  // namespace testing
}  // namespace executor
}  // namespace torch
