/// @file
/// DeviceMemoryBuffer: owned memory of a device.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {

/// A piece of device memory, given back on destruction. Movable.
class DeviceMemoryBuffer final {
 public:
  /// Allocates `size` bytes on a device with the registered allocator.
  ///
  /// @retval Error::NotFound No allocator is registered for the kind of device.
  static Result<DeviceMemoryBuffer> create(size_t size, etensor::DeviceType type,
                                           etensor::DeviceIndex index = 0,
                                           size_t alignment = DeviceAllocator::kDefaultAlignment) {
    DeviceAllocator* allocator = get_device_allocator(type);
    ET_CHECK_OR_RETURN_ERROR(allocator != nullptr, NotFound,
                             "no allocator is registered for device type %d; link its backend",
                             static_cast<int>(type));
    auto data = allocator->allocate(size, index, alignment);
    if (!data.ok()) {
      return data.error();
    }
    return DeviceMemoryBuffer(*data, size, allocator, index);
  }

  /// Empty.
  DeviceMemoryBuffer() = default;

  DeviceMemoryBuffer(DeviceMemoryBuffer&& other) noexcept { take(other); }
  DeviceMemoryBuffer& operator=(DeviceMemoryBuffer&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  DeviceMemoryBuffer(const DeviceMemoryBuffer&) = delete;
  DeviceMemoryBuffer& operator=(const DeviceMemoryBuffer&) = delete;

  ~DeviceMemoryBuffer() { release(); }

  /// Device address; null if empty.
  void* data() const { return data_; }
  size_t size() const { return size_; }

  /// The range as a span, e.g. for a HierarchicalAllocator. The host must not read through it.
  Span<uint8_t> as_span() const { return {static_cast<uint8_t*>(data_), size_}; }

 private:
  DeviceMemoryBuffer(void* data, size_t size, DeviceAllocator* allocator,
                     etensor::DeviceIndex index)
      : data_(data), size_(size), allocator_(allocator), index_(index) {}

  void take(DeviceMemoryBuffer& other) {
    data_ = other.data_;
    size_ = other.size_;
    allocator_ = other.allocator_;
    index_ = other.index_;
    other.data_ = nullptr;
    other.size_ = 0;
  }

  void release() {
    if (data_ != nullptr) {
      allocator_->deallocate(data_, index_);
      data_ = nullptr;
      size_ = 0;
    }
  }

  void* data_ = nullptr;
  size_t size_ = 0;
  DeviceAllocator* allocator_ = nullptr;
  etensor::DeviceIndex index_ = 0;
};

}  // namespace runtime
}  // namespace executorch
