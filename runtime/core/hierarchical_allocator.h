/// @file
/// HierarchicalAllocator: the memory that memory planning places tensors in.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/irange.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// A group of buffers, e.g. fast and slow RAM, addressed by index and offset.
class HierarchicalAllocator final {
 public:
  /// @param buffers The buffers, in the order of the memory ids of the program. Both the list and
  ///                the buffers must outlive the allocator.
  explicit HierarchicalAllocator(Span<Span<uint8_t>> buffers) : buffers_(buffers) {}

  /// @param buffers As above.
  /// @param devices Which device each buffer is on, one for each buffer; the list must outlive the
  ///                allocator.
  HierarchicalAllocator(Span<Span<uint8_t>> buffers, Span<const etensor::Device> devices)
      : buffers_(buffers), devices_(devices) {
    ET_CHECK_MSG(devices.empty() || devices.size() == buffers.size(), "%zu devices for %zu buffers",
                 devices.size(), buffers.size());
  }

  /// The older form: the buffers of at most kSpanArraySize allocators. Aborts if there are more.
  ET_DEPRECATED HierarchicalAllocator(uint32_t n_allocators, MemoryAllocator* allocators)
      : buffers_(to_spans(Span<MemoryAllocator>(allocators, n_allocators))) {}

  HierarchicalAllocator(const HierarchicalAllocator&) = delete;
  HierarchicalAllocator& operator=(const HierarchicalAllocator&) = delete;
  HierarchicalAllocator(HierarchicalAllocator&&) = delete;
  HierarchicalAllocator& operator=(HierarchicalAllocator&&) = delete;

  /// Address of byte `offset_bytes` of buffer `memory_id` (0-based), where `size_bytes` bytes lie
  /// within that buffer.
  ///
  /// @retval Error::InvalidArgument       There is no such buffer.
  /// @retval Error::MemoryAllocationFailed The range is not inside the buffer.
  ET_NODISCARD Result<void*> get_offset_address(uint32_t memory_id, size_t offset_bytes,
                                                size_t size_bytes) const {
    ET_CHECK_OR_RETURN_ERROR(memory_id < buffers_.size(), InvalidArgument,
                             "planned buffer %" PRIu32 " is needed, but only %zu were given",
                             memory_id, buffers_.size());
    const Span<uint8_t> buffer = buffers_[memory_id];
    ET_CHECK_OR_RETURN_ERROR(
        size_bytes <= buffer.size() && offset_bytes <= buffer.size() - size_bytes,
        MemoryAllocationFailed,
        "%zu bytes at offset %zu do not fit into planned buffer %" PRIu32 " of %zu bytes",
        size_bytes, offset_bytes, memory_id, buffer.size());
    return static_cast<void*>(buffer.data() + offset_bytes);
  }

  /// Number of buffers.
  size_t num_buffers() const { return buffers_.size(); }

  /// Bytes of a buffer; 0 where there is none.
  size_t buffer_size(uint32_t memory_id) const {
    return memory_id < buffers_.size() ? buffers_[memory_id].size() : 0;
  }

  /// The devices of the buffers as given to the constructor; empty if all are on the CPU.
  Span<const etensor::Device> planned_buffer_devices() const { return devices_; }

  /// Most allocators that the older constructor takes.
  static constexpr size_t kSpanArraySize = 16;

 private:
  Span<Span<uint8_t>> to_spans(Span<MemoryAllocator> allocators) {
    ET_CHECK_MSG(allocators.size() <= kSpanArraySize,
                 "%zu allocators, but at most %zu are possible", allocators.size(), kSpanArraySize);
    for (size_t i = 0; i < allocators.size(); ++i) {
      span_array_[i] = Span<uint8_t>(allocators[i].base_address(), allocators[i].size());
    }
    return {span_array_, allocators.size()};
  }

  Span<uint8_t> span_array_[kSpanArraySize];
  Span<Span<uint8_t>> buffers_;
  Span<const etensor::Device> devices_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::HierarchicalAllocator;
}  // namespace executor
}  // namespace torch
