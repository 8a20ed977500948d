#include <cstdint>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/memory_manager.h>

namespace {

namespace etensor = executorch::runtime::etensor;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::MemoryManager;
using executorch::runtime::Span;

TEST(MemoryManagerTest, GivesBackWhatItWasGiven) {
  MemoryAllocator method(0, nullptr);
  MemoryAllocator temp(0, nullptr);
  HierarchicalAllocator planned{Span<Span<uint8_t>>()};
  const MemoryManager minimal(&method);
  EXPECT_EQ(minimal.method_allocator(), &method);
  EXPECT_EQ(minimal.planned_memory(), nullptr);
  EXPECT_EQ(minimal.temp_allocator(), nullptr);
  const MemoryManager full(&method, &planned, &temp);
  EXPECT_EQ(full.method_allocator(), &method);
  EXPECT_EQ(full.planned_memory(), &planned);
  EXPECT_EQ(full.temp_allocator(), &temp);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST(MemoryManagerTest, OldConstructorIgnoresConstants) {
  MemoryAllocator constant(0, nullptr);
  MemoryAllocator method(0, nullptr);
  MemoryAllocator temp(0, nullptr);
  HierarchicalAllocator planned{Span<Span<uint8_t>>()};
  const MemoryManager manager(&constant, &planned, &method, &temp);
  EXPECT_EQ(manager.method_allocator(), &method);
  EXPECT_EQ(manager.planned_memory(), &planned);
  EXPECT_EQ(manager.temp_allocator(), &temp);
}
#pragma GCC diagnostic pop

TEST(MemoryManagerTest, KnowsWhereBuffersLie) {
  MemoryAllocator method(0, nullptr);
  MemoryAllocator temp(0, nullptr);
  HierarchicalAllocator planned{Span<Span<uint8_t>>()};
  EXPECT_FALSE(MemoryManager(&method, &planned, &temp).has_device_memory());
  EXPECT_TRUE(MemoryManager(&method, &planned, &temp).planned_buffer_devices().empty());
  const etensor::Device devices[] = {etensor::DeviceType::CPU, {etensor::DeviceType::CUDA, 1}};
  Span<uint8_t> buffers[2];
  HierarchicalAllocator on_both({buffers, 2}, {devices, 2});
  const MemoryManager both(&method, &on_both, &temp);
  EXPECT_TRUE(both.has_device_memory());
  EXPECT_EQ(both.planned_buffer_devices()[1].index(), 1);
  EXPECT_EQ(etensor::Device(etensor::DeviceType::CUDA).index(), 0);
  HierarchicalAllocator on_host({buffers, 1}, {devices, 1});
  EXPECT_FALSE(MemoryManager(&method, &on_host, &temp).has_device_memory());
  EXPECT_FALSE(MemoryManager(&method).has_device_memory());
}

TEST(MemoryManagerDeathTest, TempAndMethodAllocatorMustDiffer) {
  MemoryAllocator allocator(0, nullptr);
  EXPECT_DEATH(MemoryManager(&allocator, nullptr, &allocator), "temp allocator");
}

}  // namespace
