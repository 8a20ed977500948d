// Headers that only existing sources include still compile, and their macros do nothing.
#include <gtest/gtest.h>

#include <executorch/runtime/platform/compat_unistd.h>
#include <executorch/runtime/platform/profiler.h>
#include <executorch/runtime/platform/system.h>

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
