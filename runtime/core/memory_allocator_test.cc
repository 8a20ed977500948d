#include <cstdint>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>

using executorch::runtime::Error;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::Result;
using executorch::runtime::Span;

namespace {

struct alignas(64) Wide {
  char bytes[64];
};

class MemoryAllocatorTest : public ::testing::Test {
 protected:
  alignas(128) uint8_t memory_[1024];
};

TEST_F(MemoryAllocatorTest, BumpsWithinItsMemory) {
  MemoryAllocator allocator(sizeof(memory_), memory_);
  EXPECT_EQ(allocator.base_address(), memory_);
  EXPECT_EQ(allocator.size(), sizeof(memory_));
  auto* a = static_cast<uint8_t*>(allocator.allocate(3));
  auto* b = static_cast<uint8_t*>(allocator.allocate(5));
  ASSERT_EQ(a, memory_);
  ASSERT_EQ(b, memory_ + MemoryAllocator::kDefaultAlignment);
  EXPECT_EQ(allocator.used_size(), MemoryAllocator::kDefaultAlignment + 5);
  EXPECT_EQ(allocator.free_size(), sizeof(memory_) - allocator.used_size());
  allocator.reset();
  EXPECT_EQ(allocator.used_size(), 0u);
  EXPECT_EQ(allocator.allocate(1), memory_);
}

TEST_F(MemoryAllocatorTest, AlignsFromAnyStart) {
  for (size_t start = 0; start < 16; ++start) {
    for (size_t alignment = 1; alignment <= 128; alignment *= 2) {
      MemoryAllocator allocator(512, memory_ + start);
      (void)allocator.allocate(1, 1);
      void* p = allocator.allocate(7, alignment);
      ASSERT_NE(p, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % alignment, 0u);
      EXPECT_LE(static_cast<uint8_t*>(p) + 7, memory_ + start + 512);
    }
  }
}

TEST_F(MemoryAllocatorTest, FillsToTheLastByteAndNotBeyond) {
  MemoryAllocator allocator(100, memory_);
  EXPECT_NE(allocator.allocate(100, 1), nullptr);
  EXPECT_EQ(allocator.allocate(1, 1), nullptr);
  EXPECT_NE(allocator.allocate(0, 1), nullptr);
  allocator.reset();
  EXPECT_NE(allocator.allocate(1, 1), nullptr);
  // 99 bytes are left, of which padding takes 7.
  EXPECT_EQ(allocator.allocate(93, 8), nullptr);
  EXPECT_NE(allocator.allocate(92, 8), nullptr);
}

TEST_F(MemoryAllocatorTest, FailureChangesNothing) {
  MemoryAllocator allocator(64, memory_);
  ASSERT_NE(allocator.allocate(8), nullptr);
  const size_t used = allocator.used_size();
  EXPECT_EQ(allocator.allocate(1000), nullptr);
  EXPECT_EQ(allocator.allocate(8, 3), nullptr);
  EXPECT_EQ(allocator.allocate(8, 0), nullptr);
  EXPECT_EQ(allocator.used_size(), used);
}

TEST_F(MemoryAllocatorTest, HugeRequestsDoNotWrapAround) {
  MemoryAllocator allocator(64, memory_ + 1);
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  for (size_t size : {kMax, kMax - 1, kMax - 7, kMax / 2, kMax - 64}) {
    EXPECT_EQ(allocator.allocate(size), nullptr);
    EXPECT_EQ(allocator.allocate(size, 1), nullptr);
  }
  constexpr size_t kHugeAlignment = kMax / 2 + 1;
  EXPECT_EQ(allocator.allocate(1, kHugeAlignment), nullptr);
  EXPECT_EQ(allocator.allocateList<uint64_t>(kMax / 8 + 1), nullptr);
  EXPECT_EQ(allocator.allocateList<Wide>(kMax), nullptr);
  EXPECT_EQ(allocator.used_size(), 0u);
}

TEST_F(MemoryAllocatorTest, TypedAllocationsHaveTheTypesAlignment) {
  MemoryAllocator allocator(sizeof(memory_), memory_ + 1);
  auto* wide = allocator.allocateInstance<Wide>();
  ASSERT_NE(wide, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(wide) % 64, 0u);
  auto* list = allocator.allocateList<double>(3);
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(list) % alignof(double), 0u);
  list[2] = 1.0;
}

TEST_F(MemoryAllocatorTest, EmptyAllocator) {
  MemoryAllocator allocator(0, nullptr);
  EXPECT_EQ(allocator.size(), 0u);
  EXPECT_EQ(allocator.allocate(1), nullptr);
  EXPECT_DEATH(MemoryAllocator(1, nullptr), "without memory");
}

// A sweep over arena sizes: a fixed series of requests fails cleanly until it fits.
TEST_F(MemoryAllocatorTest, EveryArenaSizeIsSafe) {
  bool fitted = false;
  for (size_t size = 0; size <= 256; ++size) {
    std::memset(memory_, 0xAB, sizeof(memory_));
    MemoryAllocator allocator(size, memory_);
    bool ok = true;
    for (size_t request : {1u, 24u, 7u, 64u, 3u}) {
      void* p = allocator.allocate(request, request == 64 ? 64 : 8);
      if (p != nullptr) {
        std::memset(p, 0, request);
      }
      ok = ok && p != nullptr;
    }
    for (size_t i = size; i < sizeof(memory_); ++i) {
      ASSERT_EQ(memory_[i], 0xAB) << "arena of " << size << " bytes was overrun";
    }
    EXPECT_TRUE(!fitted || ok) << "a larger arena must not fail where a smaller did not";
    fitted = fitted || ok;
  }
  EXPECT_TRUE(fitted);
}

Error use_macros(MemoryAllocator* allocator, size_t count) {
  void* bytes = ET_ALLOCATE_OR_RETURN_ERROR(allocator, 8);
  Wide* wide = ET_ALLOCATE_INSTANCE_OR_RETURN_ERROR(allocator, Wide);
  int* list = ET_ALLOCATE_LIST_OR_RETURN_ERROR(allocator, int, count);
  const bool given = bytes != nullptr && wide != nullptr && (list != nullptr || count == 0);
  return given ? Error::Ok : Error::Internal;
}

int try_macro(MemoryAllocator* allocator) {
  int* list = ET_TRY_ALLOCATE_LIST_OR(allocator, int, 100, return -1;);
  return list != nullptr ? 1 : 0;
}

TEST_F(MemoryAllocatorTest, MacrosReturnEarly) {
  MemoryAllocator allocator(256, memory_);
  EXPECT_EQ(use_macros(&allocator, 4), Error::Ok);
  EXPECT_EQ(use_macros(&allocator, 0), Error::Ok);
  EXPECT_EQ(use_macros(&allocator, 1000), Error::MemoryAllocationFailed);
  allocator.reset();
  EXPECT_EQ(use_macros(&allocator, std::numeric_limits<size_t>::max()),
            Error::MemoryAllocationFailed);
  EXPECT_EQ(try_macro(&allocator), -1);
  MemoryAllocator large(sizeof(memory_), memory_);
  EXPECT_EQ(try_macro(&large), 1);
}

// The core is built without RTTI, its users may not be.
class CountingAllocator : public MemoryAllocator {
 public:
  using MemoryAllocator::MemoryAllocator;
  void* allocate(size_t size, size_t alignment) override {
    ++count;
    return MemoryAllocator::allocate(size, alignment);
  }
  int count = 0;
};

TEST_F(MemoryAllocatorTest, SubclassesSeeEveryAllocation) {
  CountingAllocator counting(sizeof(memory_), memory_);
  MemoryAllocator* allocator = &counting;
  EXPECT_NE(allocator->allocate(1), nullptr);
  EXPECT_NE(allocator->allocateInstance<int>(), nullptr);
  EXPECT_NE(allocator->allocateList<int>(3), nullptr);
  EXPECT_EQ(counting.count, 3);
  EXPECT_EQ(dynamic_cast<CountingAllocator*>(allocator), &counting);
}

TEST(HierarchicalAllocatorTest, GivesAddressesInsideOfBuffersOnly) {
  uint8_t first[16];
  uint8_t second[8];
  Span<uint8_t> buffers[] = {{first, sizeof(first)}, {second, sizeof(second)}};
  HierarchicalAllocator allocator(Span<Span<uint8_t>>(buffers, 2));
  EXPECT_EQ(allocator.num_buffers(), 2u);
  EXPECT_EQ(*allocator.get_offset_address(0, 4, 12), first + 4);
  EXPECT_EQ(*allocator.get_offset_address(1, 0, 8), second);
  EXPECT_EQ(*allocator.get_offset_address(1, 8, 0), second + 8);
  EXPECT_EQ(allocator.get_offset_address(1, 1, 8).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(allocator.get_offset_address(1, 9, 0).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(allocator.get_offset_address(0, 17, 0).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(allocator.get_offset_address(2, 0, 0).error(), Error::InvalidArgument);
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  EXPECT_EQ(allocator.get_offset_address(0, kMax, 2).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(allocator.get_offset_address(0, 2, kMax).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(allocator.get_offset_address(0, kMax, kMax).error(), Error::MemoryAllocationFailed);
}

TEST(HierarchicalAllocatorTest, NoBuffers) {
  HierarchicalAllocator allocator({});
  EXPECT_EQ(allocator.get_offset_address(0, 0, 0).error(), Error::InvalidArgument);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST(HierarchicalAllocatorTest, OlderConstructorTakesAllocators) {
  uint8_t memory[16];
  MemoryAllocator allocators[] = {MemoryAllocator(8, memory), MemoryAllocator(8, memory + 8)};
  HierarchicalAllocator allocator(2, allocators);
  EXPECT_EQ(*allocator.get_offset_address(1, 2, 6), memory + 10);
  EXPECT_FALSE(allocator.get_offset_address(1, 2, 7).ok());
}
#pragma GCC diagnostic pop

}  // namespace
