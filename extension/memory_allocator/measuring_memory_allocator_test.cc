#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/memory_allocator/measuring_memory_allocator.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace {

using runtime::Error;

constexpr size_t kAlignment = 64;

/// A MemoryAllocator over a buffer of some size that starts at a multiple of kAlignment.
struct Pool {
  explicit Pool(size_t size)
      : bytes(size + kAlignment),
        allocator(static_cast<uint32_t>(size),
                  reinterpret_cast<uint8_t*>(
                      (reinterpret_cast<uintptr_t>(bytes.data()) + kAlignment - 1) &
                      ~uintptr_t{kAlignment - 1})) {}

  std::vector<uint8_t> bytes;
  runtime::MemoryAllocator allocator;
};

TEST(MeasuringMemoryAllocatorTest, WhatItSaysIsEnoughAndNoMore) {
  const std::vector<std::pair<size_t, size_t>> calls = {{3, 1}, {8, 8}, {0, 16}, {5, 64}, {1, 2}};
  MeasuringMemoryAllocator measured;
  for (const auto& [size, alignment] : calls) {
    ASSERT_NE(measured.allocate(size, alignment), nullptr);
  }
  EXPECT_EQ(measured.allocate(1, 3), nullptr);  // Refused calls count nothing.
  Pool enough(measured.used_size());
  for (const auto& [size, alignment] : calls) {
    ASSERT_NE(enough.allocator.allocate(size, alignment), nullptr);
  }
  EXPECT_EQ(enough.allocator.free_size(), 0u);
  measured.reset();
  EXPECT_EQ(measured.used_size(), 0u);
  EXPECT_EQ(measured.most_used_size(), enough.allocator.used_size());
}

TEST(MeasuringMemoryAllocatorTest, APoolOfThatSizeLoadsTheMethodAndASmallerOneDoesNot) {
  runtime::runtime_init();
  const std::vector<uint8_t> file = testing::TinyProgram().build();
  BufferDataLoader loader(file.data(), file.size());
  const auto program = runtime::Program::load(&loader);
  ASSERT_TRUE(program.ok());
  const auto meta = program->method_meta("forward");
  ASSERT_TRUE(meta.ok());
  std::vector<std::vector<uint8_t>> memories;
  std::vector<runtime::Span<uint8_t>> spans;
  for (size_t i = 0; i < meta->num_memory_planned_buffers(); ++i) {
    memories.emplace_back(static_cast<size_t>(*meta->memory_planned_buffer_size(i)));
    spans.emplace_back(memories.back().data(), memories.back().size());
  }
  const auto load = [&](runtime::MemoryAllocator* allocator) {
    runtime::HierarchicalAllocator planned({spans.data(), spans.size()});
    runtime::MemoryManager memory(allocator, &planned);
    return program->load_method("forward", &memory).error();
  };
  MeasuringMemoryAllocator measured;
  ASSERT_EQ(load(&measured), Error::Ok);
  const size_t needed = measured.most_used_size();
  ASSERT_GT(needed, 0u);
  Pool enough(needed);
  EXPECT_EQ(load(&enough.allocator), Error::Ok);
  Pool too_small(needed - 1);
  EXPECT_EQ(load(&too_small.allocator), Error::MemoryAllocationFailed);
}

}  // namespace
}  // namespace extension
}  // namespace executorch
