#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <new>
#include <vector>

#include <executorch/runtime/core/device_allocator.h>

namespace executorch {
namespace runtime {
namespace testing {

/// A device whose memory is the host's, so that tests can look into it.
class FakeDevice final : public DeviceAllocator {
 public:
  etensor::DeviceType device_type() const override { return etensor::DeviceType::CUDA; }

  Result<void*> allocate(size_t nbytes, etensor::DeviceIndex index, size_t alignment) override {
    if (nbytes > capacity) {
      return Error::MemoryAllocationFailed;
    }
    const size_t rounded = (nbytes / alignment + 1) * alignment;
    const std::align_val_t align{alignment};
    void* memory = ::operator new(rounded, align);
    blocks_.emplace(memory, align);
    // Nobody may count on zeros.
    std::memset(memory, 0xA5, rounded);
    ++live;
    last_index = index;
    return memory;
  }

  void deallocate(void* memory, etensor::DeviceIndex) override {
    --live;
    ::operator delete(memory, blocks_.at(memory));
    blocks_.erase(memory);
  }

  Error copy_host_to_device(void* device, const void* host, size_t nbytes,
                            etensor::DeviceIndex) override {
    ++num_copies;
    std::memcpy(device, host, nbytes);
    return Error::Ok;
  }

  Error copy_device_to_host(void* host, const void* device, size_t nbytes,
                            etensor::DeviceIndex) override {
    ++num_copies;
    std::memcpy(host, device, nbytes);
    return Error::Ok;
  }

  size_t capacity = size_t{1} << 20;
  int live = 0;
  int num_copies = 0;
  etensor::DeviceIndex last_index = -1;

 private:
  std::map<void*, std::align_val_t> blocks_;
};

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
