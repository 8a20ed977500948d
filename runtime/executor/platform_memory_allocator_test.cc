#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/platform_memory_allocator.h>
#include <executorch/runtime/platform/platform.h>

namespace {

int num_allocated = 0;
int num_freed = 0;
bool exhausted = false;

}  // namespace

extern "C" void* et_pal_allocate(size_t size) {
  if (exhausted) {
    return nullptr;
  }
  ++num_allocated;
  return std::malloc(size);
}

extern "C" void et_pal_free(void* memory) {
  ++num_freed;
  std::free(memory);
}

namespace {

using executorch::runtime::internal::PlatformMemoryAllocator;

class PlatformMemoryAllocatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    num_allocated = 0;
    num_freed = 0;
    exhausted = false;
  }
};

TEST_F(PlatformMemoryAllocatorTest, GivesAlignedMemory) {
  PlatformMemoryAllocator allocator;
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    for (const size_t size : {0, 1, 17, 1000}) {
      void* memory = allocator.allocate(size, alignment);
      ASSERT_NE(memory, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % alignment, 0u);
      std::memset(memory, 0xab, size);
    }
  }
  EXPECT_NE(allocator.allocateInstance<uint64_t>(), nullptr);
  EXPECT_NE(allocator.allocateList<uint64_t>(10), nullptr);
}

TEST_F(PlatformMemoryAllocatorTest, ResetAndDestructionGiveAllBack) {
  {
    PlatformMemoryAllocator allocator;
    ASSERT_NE(allocator.allocate(8), nullptr);
    ASSERT_NE(allocator.allocate(8), nullptr);
    EXPECT_EQ(num_allocated, 2);
    EXPECT_EQ(num_freed, 0);
    allocator.reset();
    EXPECT_EQ(num_freed, 2);
    allocator.reset();
    EXPECT_EQ(num_freed, 2);
    ASSERT_NE(allocator.allocate(8), nullptr);
  }
  EXPECT_EQ(num_allocated, 3);
  EXPECT_EQ(num_freed, 3);
}

TEST_F(PlatformMemoryAllocatorTest, FailsWithNull) {
  PlatformMemoryAllocator allocator;
  EXPECT_EQ(allocator.allocate(8, 0), nullptr);
  EXPECT_EQ(allocator.allocate(8, 3), nullptr);
  EXPECT_EQ(allocator.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(num_allocated, 0);
  exhausted = true;
  EXPECT_EQ(allocator.allocate(8), nullptr);
}

}  // namespace
