// Headers that only existing sources include still compile, and their macros do nothing.
#include <gtest/gtest.h>

#include <executorch/runtime/platform/compat_unistd.h>
#include <executorch/runtime/platform/profiler.h>
#include <executorch/runtime/platform/system.h>

TEST(LegacyHeadersTest, ProfilerFunctionsRecordNothing) {
  using namespace executorch::runtime;  // NOLINT: the names under test
  profiler_init();
  profiling_create_block("block");
  end_profiling(begin_profiling("event"));
  track_allocation(static_cast<int32_t>(track_allocator("allocator")), 8);
  const ExecutorchProfiler scope("scope");
  const ExecutorchProfilerInstructionScope instruction(prof_state_t{0, 1});
  uint8_t bytes[1] = {};
  prof_result_t result{bytes, 1, 1};
  dump_profile_stats(&result);
  EXPECT_EQ(result.num_bytes, 0u);
  EXPECT_EQ(result.num_blocks, 0u);
  reset_profile_stats();
}

TEST(LegacyHeadersTest, ProfilerRecordsNothing) {
  EXECUTORCH_PROFILE_CREATE_BLOCK("block");
  EXECUTORCH_SCOPE_PROF("scope");
  EXECUTORCH_PROFILE_INSTRUCTION_SCOPE(0, 1);
  const int token = EXECUTORCH_BEGIN_PROF("event");
  EXECUTORCH_END_PROF(token);
  const int id = EXECUTORCH_TRACK_ALLOCATOR("arena");
  EXECUTORCH_TRACK_ALLOCATION(id, 16);
  EXECUTORCH_RESET_PROFILE_RESULTS();
  torch::executor::prof_result_t result = {nullptr, 1, 1};
  EXECUTORCH_DUMP_PROFILE_RESULTS(&result);
  EXPECT_EQ(result.num_bytes, 0u);
  EXPECT_EQ(result.num_blocks, 0u);
}

TEST(LegacyHeadersTest, UnistdIsThere) {
  const ssize_t nothing = read(STDIN_FILENO, nullptr, 0);
  EXPECT_LE(nothing, 0);
  EXPECT_STREQ(et_pal_get_shared_library_name(nullptr), DYNAMIC_LIBRARY_NOT_SUPPORTED);
}
