#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/memory_allocator/memory_allocator_utils.h>
#include <executorch/extension/memory_allocator/planned_memory.h>
#include <executorch/runtime/core/testing_util/fake_device.h>
#include <executorch/runtime/platform/runtime.h>

// A heap that is too small is an error to handle, also under the address sanitizer.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace executorch {
namespace extension {
namespace {

using runtime::Error;

class MemoryAllocatorTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

TEST_F(MemoryAllocatorTest, EveryAlignmentIsKept) {
  MallocMemoryAllocator allocator;
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    for (const size_t size : {0, 1, 7, 64, 5000}) {
      auto* block = static_cast<uint8_t*>(allocator.allocate(size, alignment));
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u);
      std::memset(block, 0x5A, size);  // The sanitizers watch the ends.
    }
  }
}

TEST_F(MemoryAllocatorTest, TheDefaultIsGoodForPointers) {
  MallocMemoryAllocator allocator;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(allocator.allocate(1)) % alignof(void*), 0u);
  EXPECT_NE(allocator.allocateInstance<double>(), nullptr);
  EXPECT_NE(allocator.allocateList<int64_t>(100), nullptr);
}

TEST_F(MemoryAllocatorTest, ImpossibleRequestsGiveNull) {
  MallocMemoryAllocator allocator;
  EXPECT_EQ(allocator.allocate(1, 0), nullptr);
  EXPECT_EQ(allocator.allocate(1, 24), nullptr);
  EXPECT_EQ(allocator.allocate(std::numeric_limits<size_t>::max(), 64), nullptr);
}

TEST_F(MemoryAllocatorTest, ResetGivesEverythingBackAndAllowsMore) {
  MallocMemoryAllocator allocator;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) {
      ASSERT_NE(allocator.allocate(100), nullptr);
    }
    allocator.reset();
  }
}

TEST_F(MemoryAllocatorTest, AlignedSizeLeavesRoom) {
  EXPECT_EQ(*utils::get_aligned_size(100, 8), 100u);
  EXPECT_GE(*utils::get_aligned_size(100, 64), 100u + 64u - alignof(std::max_align_t));
  EXPECT_EQ(utils::get_aligned_size(std::numeric_limits<size_t>::max() - 10, 64).error(),
            Error::InvalidArgument);
}

TEST_F(MemoryAllocatorTest, ArenasAreAlignedAndZero) {
  auto memory = PlannedMemory::create(std::vector<size_t>{100, 0, 3});
  ASSERT_TRUE(memory.ok());
  ASSERT_EQ((*memory)->arenas().size(), 3u);
  EXPECT_EQ((*memory)->total_bytes(), 103u);
  for (const runtime::Span<uint8_t>& arena : (*memory)->arenas()) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.data()) % PlannedMemory::kAlignment, 0u);
    for (const uint8_t byte : arena) {
      EXPECT_EQ(byte, 0);
    }
  }
  const auto address = (*memory)->allocator()->get_offset_address(0, 40, 60);
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(*address, (*memory)->arenas()[0].data() + 40);
  EXPECT_FALSE((*memory)->allocator()->get_offset_address(0, 41, 60).ok());
}

TEST_F(MemoryAllocatorTest, ArenasOfDevicesComeFromTheirAllocator) {
  using runtime::etensor::Device;
  using runtime::etensor::DeviceType;
  const std::vector<PlannedMemory::Arena> arenas = {{100, DeviceType::CPU},
                                                    {200, Device(DeviceType::CUDA, 3)}};
  EXPECT_EQ(PlannedMemory::create(arenas).error(), Error::NotFound) << "no allocator registered";
  static runtime::testing::FakeDevice device;
  ASSERT_EQ(runtime::register_device_allocator(&device), Error::Ok);
  {
    auto memory = PlannedMemory::create(arenas);
    ASSERT_TRUE(memory.ok());
    EXPECT_EQ(device.live, 1);
    EXPECT_EQ(device.last_index, 3);
    EXPECT_EQ((*memory)->arenas()[1].size(), 200u);
    EXPECT_EQ((*memory)->total_bytes(), 300u);
    const auto devices = (*memory)->allocator()->planned_buffer_devices();
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_EQ(devices[0], Device(DeviceType::CPU));
    EXPECT_EQ(devices[1], Device(DeviceType::CUDA, 3));
  }
  EXPECT_EQ(device.live, 0);
  EXPECT_EQ(PlannedMemory::create({{size_t{2} << 20, Device(DeviceType::CUDA)}}).error(),
            Error::MemoryAllocationFailed);
  auto on_host = PlannedMemory::create(std::vector<size_t>{8});
  ASSERT_TRUE(on_host.ok());
  EXPECT_TRUE((*on_host)->allocator()->planned_buffer_devices().empty());
}

TEST_F(MemoryAllocatorTest, ArenasLargerThanMemoryAreAnError) {
  const size_t huge = std::numeric_limits<size_t>::max();
  for (const size_t size : {huge, huge - 64, huge / 2}) {
    EXPECT_EQ(PlannedMemory::create(std::vector<size_t>{16, size}).error(),
              Error::MemoryAllocationFailed);
  }
}

}  // namespace
}  // namespace extension
}  // namespace executorch
