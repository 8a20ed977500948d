#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
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
    void* memory = std::aligned_alloc(alignment, rounded);
    // Nobody may count on zeros.
    std::memset(memory, 0xA5, rounded);
    ++live;
    last_index = index;
    return memory;
  }

  void deallocate(void* memory, etensor::DeviceIndex) override {
    --live;
    std::free(memory);
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
};

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
