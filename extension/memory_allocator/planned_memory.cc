#include <cinttypes>
#include <cstddef>
#include <cstdlib>
#include <limits>

#include <executorch/extension/memory_allocator/planned_memory.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::HierarchicalAllocator;
using runtime::MethodMeta;
using runtime::Result;
using runtime::Span;

void PlannedMemory::Free::operator()(void* block) const { std::free(block); }

Result<std::unique_ptr<PlannedMemory>> PlannedMemory::create(const std::vector<size_t>& sizes) {
  std::unique_ptr<PlannedMemory> memory(new PlannedMemory());
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > static_cast<size_t>(std::numeric_limits<ptrdiff_t>::max()) - kAlignment) {
      ET_LOG(Error, "Arena %zu: %zu bytes do not fit into the address space", i, sizes[i]);
      return Error::MemoryAllocationFailed;
    }
    // calloc() gets large blocks as zero pages from the system, so that nothing is touched before
    // use.
    void* block = std::calloc(sizes[i] + kAlignment, 1);
    if (block == nullptr) {
      ET_LOG(Error, "Arena %zu: no memory for %zu bytes", i, sizes[i]);
      return Error::MemoryAllocationFailed;
    }
    memory->blocks_.emplace_back(block);
    const auto address = reinterpret_cast<uintptr_t>(block);
    auto* start =
        reinterpret_cast<uint8_t*>((address + kAlignment - 1) & ~(uintptr_t{kAlignment} - 1));
    memory->arenas_.emplace_back(start, sizes[i]);
  }
  memory->allocator_ = std::make_unique<HierarchicalAllocator>(
      Span<Span<uint8_t>>(memory->arenas_.data(), memory->arenas_.size()));
  return memory;
}

Result<std::vector<size_t>> PlannedMemory::sizes_of(const MethodMeta& meta) {
  std::vector<size_t> sizes;
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    const Result<int64_t> size = meta.memory_planned_buffer_size(i);
    if (!size.ok()) {
      return size.error();
    }
    if (*size < 0 || static_cast<uint64_t>(*size) > std::numeric_limits<size_t>::max()) {
      ET_LOG(Error, "Arena %zu cannot have %" PRId64 " bytes", i, *size);
      return Error::InvalidProgram;
    }
    sizes.push_back(static_cast<size_t>(*size));
  }
  return sizes;
}

Result<std::unique_ptr<PlannedMemory>> PlannedMemory::create(const MethodMeta& meta) {
  const Result<std::vector<size_t>> sizes = sizes_of(meta);
  if (!sizes.ok()) {
    return sizes.error();
  }
  return create(*sizes);
}

size_t PlannedMemory::total_bytes() const {
  size_t total = 0;
  for (const Span<uint8_t>& arena : arenas_) {
    total += arena.size();
  }
  return total;
}

}  // namespace extension
}  // namespace executorch
