#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/run_all.h>
#include <executorch/runtime/executor/testing/sample_programs.h>
#include <executorch/runtime/executor/testing/test_kernels.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

// Grows the method allocator by a word at a time until the method loads: every allocation on the
// way fails once.
TEST(AllocationFailureTest, EveryFailedAllocationIsAnErrorAndNothingLeaks) {
  register_test_kernels();
  register_sample_backend();
  for (const PteFile& file : sample_programs()) {
    MemoryLoader loader(file);
    Result<Program> program = Program::load(&loader);
    ASSERT_TRUE(program.ok());
    const int still_loaded = loader.num_loaded - loader.num_freed;
    size_t size = 0;
    for (;; size += sizeof(void*)) {
      ASSERT_LT(size, 100000u);
      MethodMemory memory(*program->method_meta("forward"));
      // Exactly this many bytes, so that a sanitizer sees a step too far.
      const std::unique_ptr<uint64_t[]> bytes(new uint64_t[size / sizeof(uint64_t)]);
      MemoryAllocator allocator(size, reinterpret_cast<uint8_t*>(bytes.get()));
      MemoryManager manager(&allocator, memory.planned_memory.get(), &memory.temp_allocator);
      const Result<Method> method = program->load_method("forward", &manager);
      if (method.ok()) {
        break;
      }
      EXPECT_EQ(method.error(), Error::MemoryAllocationFailed) << size;
      EXPECT_EQ(loader.num_loaded - loader.num_freed, still_loaded) << size;
    }
    EXPECT_EQ(loader.num_loaded - loader.num_freed, still_loaded);
    EXPECT_GT(size, 300u);
  }
}

// The memory that a method takes is part of what an application plans with, so it is pinned from
// both sides.
TEST(AllocationFailureTest, MethodsTakeAsMuchMemoryAsExpected) {
  register_test_kernels();
  register_sample_backend();
  std::vector<size_t> used;
  for (const PteFile& file : sample_programs()) {
    MethodHarness harness{PteFile(file)};
    ASSERT_TRUE(harness.ok());
    used.push_back(harness.memory->method_allocator.used_size());
  }
  if (sizeof(void*) == 8) {
    const std::vector<std::pair<size_t, size_t>> bounds = {{800, 1000}, {1000, 1700}, {900, 1300},
                                                           {900, 1400}, {900, 1300},  {1100, 1600}};
    ASSERT_EQ(used.size(), bounds.size());
    for (size_t i = 0; i < used.size(); ++i) {
      EXPECT_GE(used[i], bounds[i].first) << i;
      EXPECT_LE(used[i], bounds[i].second) << i;
    }
  }
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
