#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/memory_allocator/cpu_caching_malloc_allocator.h>

namespace {

using executorch::extension::CPUCachingAllocator;

bool is_aligned(const void* pointer, size_t alignment) {
  return reinterpret_cast<uintptr_t>(pointer) % alignment == 0;
}

TEST(CPUCachingAllocatorTest, BlocksAreDistinctAlignedAndWritable) {
  CPUCachingAllocator allocator(1 << 20);
  void* first = allocator.allocate(100);
  void* second = allocator.allocate(100);
  void* page = allocator.allocate(100, 4096);
  ASSERT_NE(first, nullptr);
  EXPECT_NE(first, second);
  EXPECT_TRUE(is_aligned(first, 64));
  EXPECT_TRUE(is_aligned(allocator.allocate(3, 8), 8));
  EXPECT_TRUE(is_aligned(page, 4096));
  std::memset(first, 1, 100);
  std::memset(page, 1, 100);
}

TEST(CPUCachingAllocatorTest, ResetKeepsBlocksForTheNextRun) {
  CPUCachingAllocator allocator(1 << 20);
  void* first = allocator.allocate(100);
  void* second = allocator.allocate(5000);
  allocator.reset();
  EXPECT_EQ(allocator.allocate(100), first);
  EXPECT_EQ(allocator.allocate(5000), second);
  EXPECT_NE(allocator.allocate(100), first) << "that one is in use";
}

TEST(CPUCachingAllocatorTest, KeepsNoMoreThanItMay) {
  // Leaks and double frees show under a sanitizer.
  CPUCachingAllocator allocator(256);
  for (int run = 0; run < 3; ++run) {
    for (int i = 0; i < 5; ++i) {
      ASSERT_NE(allocator.allocate(128), nullptr);
    }
    allocator.reset();
  }
}

TEST(CPUCachingAllocatorTest, RefusesWhatCannotBe) {
  CPUCachingAllocator allocator(256);
  EXPECT_EQ(allocator.allocate(8, 3), nullptr);
  EXPECT_EQ(allocator.allocate(8, 0), nullptr);
  EXPECT_EQ(allocator.allocate(SIZE_MAX - 10), nullptr);
}

TEST(CPUCachingAllocatorTest, ThreadsMayShareIt) {
  CPUCachingAllocator allocator(1 << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&allocator, t] {
      for (int i = 0; i < 100; ++i) {
        std::memset(allocator.allocate(64), t, 64);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  allocator.reset();
}

}  // namespace
