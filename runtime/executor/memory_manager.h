#pragma once

#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// The memory that a `Method` may use, by lifetime. Refers to the caller's allocators; they and
/// their memory must outlive every method that was loaded with them, and serve one method only.
class MemoryManager final {
 public:
  /// @param method_allocator For what lives as long as the method: values, instructions, the state
  ///     of delegates.
  /// @param planned_memory The buffers that the program's tensors were laid out in ahead of time;
  ///     their sizes are in `MethodMeta`. Null is fine for methods that need none. The first may
  ///     have 0 bytes where `MethodMeta::memory_planned_buffer_follows_sizes()` and there is a
  ///     dynamic allocator.
  /// @param temp_allocator For scratch memory of kernels and delegates; the executor resets it
  /// after
  ///     every instruction, so nothing else may use it. Null lets the executor use the platform's
  ///     allocator (`et_pal_allocate`).
  explicit MemoryManager(MemoryAllocator* method_allocator,
                         HierarchicalAllocator* planned_memory = nullptr,
                         MemoryAllocator* temp_allocator = nullptr)
      : method_allocator_(method_allocator),
        planned_memory_(planned_memory),
        temp_allocator_(temp_allocator) {
    ET_CHECK_MSG(method_allocator == nullptr || method_allocator != temp_allocator,
                 "The temp allocator is reset while the method runs, it must not be the method "
                 "allocator too");
  }

  /// @deprecated Use the other constructor; nothing needs `constant_allocator`.
  ET_DEPRECATED MemoryManager(MemoryAllocator* constant_allocator,
                              HierarchicalAllocator* non_constant_allocator,
                              MemoryAllocator* runtime_allocator,
                              MemoryAllocator* temporary_allocator)
      : MemoryManager(runtime_allocator, non_constant_allocator, temporary_allocator) {
    (void)constant_allocator;
  }

  /// @param allocator For tensors whose size has no bound in the program, when they outgrow the
  ///     memory that the plan has for them, and for a planned buffer that follows sizes. What it
  ///     gave is in use for as long as the method lives. Any allocator will do, one over a fixed
  ///     buffer too; it may serve several methods, and may be the method allocator. Without one,
  ///     such tensors stay within their planned memory and a larger shape is an error. Set it
  ///     before loading the method.
  void set_dynamic_allocator(MemoryAllocator* allocator) { dynamic_allocator_ = allocator; }

  MemoryAllocator* method_allocator() const { return method_allocator_; }
  HierarchicalAllocator* planned_memory() const { return planned_memory_; }
  MemoryAllocator* temp_allocator() const { return temp_allocator_; }
  MemoryAllocator* dynamic_allocator() const { return dynamic_allocator_; }

  /// Where each planned buffer lies, as `planned_memory` says; empty if all are on the CPU.
  Span<const etensor::Device> planned_buffer_devices() const {
    return planned_memory_ == nullptr ? Span<const etensor::Device>()
                                      : planned_memory_->planned_buffer_devices();
  }

  /// Whether a planned buffer lies elsewhere than on the CPU.
  bool has_device_memory() const {
    for (const etensor::Device& device : planned_buffer_devices()) {
      if (!device.is_cpu()) {
        return true;
      }
    }
    return false;
  }

 private:
  MemoryAllocator* method_allocator_;
  HierarchicalAllocator* planned_memory_;
  MemoryAllocator* temp_allocator_;
  MemoryAllocator* dynamic_allocator_ = nullptr;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::MemoryManager;
}  // namespace executor
}  // namespace torch
