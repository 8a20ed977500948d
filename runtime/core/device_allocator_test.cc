#include <cstdlib>
#include <cstring>
#include <utility>

#include <gtest/gtest.h>

#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/device_memory_buffer.h>

using executorch::runtime::DeviceAllocator;
using executorch::runtime::DeviceAllocatorRegistry;
using executorch::runtime::DeviceMemoryBuffer;
using executorch::runtime::Error;
using executorch::runtime::Result;
using executorch::runtime::etensor::DeviceIndex;
using executorch::runtime::etensor::DeviceType;

namespace {

/// A device whose memory is the host's.
class FakeAllocator : public DeviceAllocator {
 public:
  explicit FakeAllocator(DeviceType type) : type_(type) {}
  DeviceType device_type() const override { return type_; }
  Result<void*> allocate(size_t nbytes, DeviceIndex, size_t) override {
    if (nbytes > 1024) {
      return Error::MemoryAllocationFailed;
    }
    ++live;
    return std::malloc(nbytes);
  }
  void deallocate(void* ptr, DeviceIndex) override {
    live -= ptr != nullptr ? 1 : 0;
    std::free(ptr);
  }
  Error copy_host_to_device(void* dst, const void* src, size_t n, DeviceIndex) override {
    std::memcpy(dst, src, n);
    return Error::Ok;
  }
  Error copy_device_to_host(void* dst, const void* src, size_t n, DeviceIndex) override {
    std::memcpy(dst, src, n);
    return Error::Ok;
  }
  int live = 0;

 private:
  DeviceType type_;
};

TEST(DeviceAllocatorRegistryTest, OneAllocatorAKind) {
  DeviceAllocatorRegistry registry;
  FakeAllocator first(DeviceType::CUDA);
  FakeAllocator second(DeviceType::CUDA);
  FakeAllocator unknown(static_cast<DeviceType>(100));
  FakeAllocator negative(static_cast<DeviceType>(-1));
  EXPECT_EQ(registry.get_allocator(DeviceType::CUDA), nullptr);
  EXPECT_EQ(registry.register_allocator(&first), Error::Ok);
  EXPECT_EQ(registry.register_allocator(&second), Error::RegistrationAlreadyRegistered);
  EXPECT_EQ(registry.register_allocator(&unknown), Error::InvalidArgument);
  EXPECT_EQ(registry.register_allocator(&negative), Error::InvalidArgument);
  EXPECT_EQ(registry.register_allocator(nullptr), Error::InvalidArgument);
  EXPECT_EQ(registry.get_allocator(DeviceType::CUDA), &first);
  EXPECT_EQ(registry.get_allocator(static_cast<DeviceType>(100)), nullptr);
}

TEST(DeviceMemoryBufferTest, OwnsItsMemory) {
  static FakeAllocator allocator(DeviceType::CUDA);
  EXPECT_EQ(DeviceMemoryBuffer::create(16, DeviceType::CUDA).error(), Error::NotFound);
  ASSERT_EQ(executorch::runtime::register_device_allocator(&allocator), Error::Ok);
  {
    auto buffer = DeviceMemoryBuffer::create(16, DeviceType::CUDA);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(buffer->size(), 16u);
    EXPECT_EQ(buffer->as_span().data(), buffer->data());
    EXPECT_EQ(allocator.live, 1);
    DeviceMemoryBuffer moved(std::move(*buffer));
    EXPECT_EQ(buffer->data(), nullptr);
    DeviceMemoryBuffer assigned;
    assigned = std::move(moved);
    EXPECT_EQ(allocator.live, 1);
  }
  EXPECT_EQ(allocator.live, 0);
  EXPECT_EQ(DeviceMemoryBuffer::create(4096, DeviceType::CUDA).error(),
            Error::MemoryAllocationFailed);
}

}  // namespace
