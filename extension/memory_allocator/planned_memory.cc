#include <cinttypes>
#include <cstddef>
#include <cstdlib>
#include <limits>

#include <executorch/extension/memory_allocator/planned_memory.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

using runtime::DeviceMemoryBuffer;
using runtime::Error;
using runtime::HierarchicalAllocator;
using runtime::MethodMeta;
using runtime::Result;
using runtime::Span;
using runtime::etensor::Device;

void PlannedMemory::Free::operator()(void* block) const { std::free(block); }

Result<Span<uint8_t>> PlannedMemory::allocate_on_host(size_t size) {
  if (size > static_cast<size_t>(std::numeric_limits<ptrdiff_t>::max()) - kAlignment) {
    return Error::MemoryAllocationFailed;
  }
  // calloc() gets large blocks as zero pages from the system, so that nothing is touched before
  // use.
  void* block = std::calloc(size + kAlignment, 1);
  if (block == nullptr) {
    return Error::MemoryAllocationFailed;
  }
  blocks_.emplace_back(block);
  const auto address = reinterpret_cast<uintptr_t>(block);
  auto* start =
      reinterpret_cast<uint8_t*>((address + kAlignment - 1) & ~(uintptr_t{kAlignment} - 1));
  return Span<uint8_t>(start, size);
}

Result<Span<uint8_t>> PlannedMemory::allocate(const Arena& arena) {
  if (arena.device.is_cpu()) {
    return allocate_on_host(arena.size);
  }
  Result<DeviceMemoryBuffer> block =
      DeviceMemoryBuffer::create(arena.size, arena.device.type(), arena.device.index(), kAlignment);
  if (!block.ok()) {
    return block.error();
  }
  device_blocks_.push_back(std::move(*block));
  return device_blocks_.back().as_span();
}

Result<std::unique_ptr<PlannedMemory>> PlannedMemory::create(const std::vector<Arena>& arenas) {
  std::unique_ptr<PlannedMemory> memory(new PlannedMemory());
  bool on_host = true;
  for (size_t i = 0; i < arenas.size(); ++i) {
    const Result<Span<uint8_t>> arena = memory->allocate(arenas[i]);
    if (!arena.ok()) {
      ET_LOG(Error, "Arena %zu: no memory for %zu bytes on device type %d, index %d", i,
             arenas[i].size, static_cast<int>(arenas[i].device.type()),
             static_cast<int>(arenas[i].device.index()));
      return arena.error();
    }
    memory->arenas_.push_back(*arena);
    memory->devices_.push_back(arenas[i].device);
    on_host = on_host && arenas[i].device.is_cpu();
  }
  // As documented, a list of devices says that some are not the host.
  memory->allocator_ = std::make_unique<HierarchicalAllocator>(
      Span<Span<uint8_t>>(memory->arenas_.data(), memory->arenas_.size()),
      Span<const Device>(memory->devices_.data(), on_host ? 0 : memory->devices_.size()));
  return memory;
}

Result<std::unique_ptr<PlannedMemory>> PlannedMemory::create(const std::vector<size_t>& sizes) {
  std::vector<Arena> arenas(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    arenas[i].size = sizes[i];
  }
  return create(arenas);
}

Result<std::vector<PlannedMemory::Arena>> PlannedMemory::arenas_of(const MethodMeta& meta) {
  std::vector<Arena> arenas;
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    const Result<int64_t> size = meta.memory_planned_buffer_size(i);
    if (!size.ok()) {
      return size.error();
    }
    if (*size < 0 || static_cast<uint64_t>(*size) > std::numeric_limits<size_t>::max()) {
      ET_LOG(Error, "Arena %zu cannot have %" PRId64 " bytes", i, *size);
      return Error::InvalidProgram;
    }
    const Result<Device> device = meta.memory_planned_buffer_device(i);
    if (!device.ok()) {
      return device.error();
    }
    arenas.push_back({static_cast<size_t>(*size), *device});
  }
  return arenas;
}

Result<std::unique_ptr<PlannedMemory>> PlannedMemory::create(const MethodMeta& meta) {
  Result<std::vector<Arena>> arenas = arenas_of(meta);
  if (!arenas.ok()) {
    return arenas.error();
  }
  for (size_t i = 0; i < arenas->size(); ++i) {
    if (meta.memory_planned_buffer_follows_sizes(i)) {
      (*arenas)[i].size = 0;
    }
  }
  return create(*arenas);
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
