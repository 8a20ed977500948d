#include <gtest/gtest.h>

#include <executorch/runtime/core/testing_util/error_matchers.h>
#include <executorch/runtime/executor/test/managed_memory_manager.h>

namespace {

using executorch::runtime::Error;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::MemoryManager;
using executorch::runtime::testing::ManagedMemoryManager;

TEST(ManagedMemoryManagerTest, HasTheMemoryThatWasAskedFor) {
  ManagedMemoryManager managed(64, 128);
  MemoryManager& manager = managed.get();
  EXPECT_EQ(manager.method_allocator()->size(), 128u);
  EXPECT_NE(manager.method_allocator()->allocate(100), nullptr);
  EXPECT_EQ(manager.planned_memory()->num_buffers(), 1u);
  EXPECT_OK(manager.planned_memory()->get_offset_address(0, 0, 64).error());
  EXPECT_EQ(manager.planned_memory()->get_offset_address(0, 1, 64).error(),
            Error::MemoryAllocationFailed);
  EXPECT_EQ(manager.temp_allocator(), nullptr);
}

TEST(ManagedMemoryManagerTest, TakesAllocatorsOfTheCallers) {
  uint8_t method_memory[16];
  uint8_t temp_memory[16];
  MemoryAllocator method_allocator(sizeof(method_memory), method_memory);
  MemoryAllocator temp_allocator(sizeof(temp_memory), temp_memory);
  ManagedMemoryManager managed(8, &method_allocator, &temp_allocator);
  EXPECT_EQ(managed.get().method_allocator(), &method_allocator);
  EXPECT_EQ(managed.get().temp_allocator(), &temp_allocator);
}

}  // namespace
