/// @file
/// DeviceAllocator: memory of devices other than the CPU, and the registry of allocators.
#pragma once

#include <cstddef>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Interface to the memory of one kind of device. A backend that works on device memory implements
/// it and registers one instance that lives as long as the process.
class DeviceAllocator {
 public:
  /// Alignment of allocations that do not ask for another.
  static constexpr size_t kDefaultAlignment = alignof(void*);

  virtual ~DeviceAllocator() = default;

  /// The kind of device it serves.
  virtual etensor::DeviceType device_type() const = 0;

  /// `nbytes` bytes on device `index`.
  ///
  /// @retval Error::MemoryAllocationFailed The device has not enough memory.
  ET_NODISCARD virtual Result<void*> allocate(size_t nbytes, etensor::DeviceIndex index,
                                              size_t alignment = kDefaultAlignment) = 0;

  /// Gives memory back; null is allowed.
  virtual void deallocate(void* ptr, etensor::DeviceIndex index) = 0;

  ET_NODISCARD virtual Error copy_host_to_device(void* device_dst, const void* host_src,
                                                 size_t nbytes, etensor::DeviceIndex index) = 0;

  ET_NODISCARD virtual Error copy_device_to_host(void* host_dst, const void* device_src,
                                                 size_t nbytes, etensor::DeviceIndex index) = 0;
};

/// The allocators of the process, one a kind of device. Not thread safe: register at start.
class DeviceAllocatorRegistry {
 public:
  static DeviceAllocatorRegistry& instance();

  /// @retval Error::InvalidArgument                `allocator` is null or for no known device.
  /// @retval Error::RegistrationAlreadyRegistered  The kind of device has an allocator.
  Error register_allocator(DeviceAllocator* allocator);

  /// The allocator for a kind of device; null if there is none.
  DeviceAllocator* get_allocator(etensor::DeviceType type) const;

 private:
  DeviceAllocator* allocators_[etensor::kNumDeviceTypes] = {};
};

/// Registers with the process's registry.
Error register_device_allocator(DeviceAllocator* allocator);

/// Looks up in the process's registry.
DeviceAllocator* get_device_allocator(etensor::DeviceType type);

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::DeviceAllocator;
using ::executorch::runtime::DeviceAllocatorRegistry;
using ::executorch::runtime::get_device_allocator;
using ::executorch::runtime::register_device_allocator;
}  // namespace executor
}  // namespace torch
