#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/method_meta.h>

namespace executorch {
namespace extension {

/// The arenas that a method's memory plan asks for, taken from the heap, or from the registered
/// `DeviceAllocator` where the plan wants a device's memory.
///
/// Arenas start at multiples of kAlignment; those on the host are zero in the beginning. The object
/// stays where it is made: the allocator inside points to its neighbours.
class PlannedMemory final {
 public:
  static constexpr size_t kAlignment = 64;

  /// What one arena has to be.
  struct Arena {
    size_t size = 0;  ///< Bytes.
    runtime::etensor::Device device = runtime::etensor::DeviceType::CPU;
  };

  /// One arena for each entry. MemoryAllocationFailed when the heap or a device has not that much,
  /// NotFound when a device has no allocator.
  static runtime::Result<std::unique_ptr<PlannedMemory>> create(const std::vector<Arena>& arenas);

  /// The same, all on the host; `sizes` in bytes.
  static runtime::Result<std::unique_ptr<PlannedMemory>> create(const std::vector<size_t>& sizes);

  /// The arenas of one method; with 0 bytes where they may follow the sizes of its inputs, so the
  /// method's `MemoryManager` must have a dynamic allocator.
  static runtime::Result<std::unique_ptr<PlannedMemory>> create(const runtime::MethodMeta& meta);

  /// What a method's arenas have to be. InvalidProgram when a size is negative.
  static runtime::Result<std::vector<Arena>> arenas_of(const runtime::MethodMeta& meta);

  PlannedMemory(const PlannedMemory&) = delete;
  PlannedMemory& operator=(const PlannedMemory&) = delete;

  /// What to give to a MemoryManager; lives as long as this object.
  runtime::HierarchicalAllocator* allocator() { return allocator_.get(); }

  /// Where the arenas are. The host must not read those on a device.
  const std::vector<runtime::Span<uint8_t>>& arenas() const { return arenas_; }

  size_t total_bytes() const;

 private:
  struct Free {
    void operator()(void* block) const;
  };

  PlannedMemory() = default;
  runtime::Result<runtime::Span<uint8_t>> allocate(const Arena& arena);
  runtime::Result<runtime::Span<uint8_t>> allocate_on_host(size_t size);

  std::vector<std::unique_ptr<void, Free>> blocks_;
  std::vector<runtime::DeviceMemoryBuffer> device_blocks_;
  std::vector<runtime::Span<uint8_t>> arenas_;
  std::vector<runtime::etensor::Device> devices_;
  std::unique_ptr<runtime::HierarchicalAllocator> allocator_;
};

}  // namespace extension
}  // namespace executorch
