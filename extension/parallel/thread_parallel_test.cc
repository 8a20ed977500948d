#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/parallel/thread_parallel.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>

namespace {

using namespace executorch::extension;
using Chunks = std::vector<std::pair<int64_t, int64_t>>;

class ParallelForTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(threadpool::get_threadpool()->_unsafe_reset_threadpool(4)); }

  /// The chunks of one call, in order.
  Chunks chunks(int64_t begin, int64_t end, int64_t grain_size) {
    std::mutex mutex;
    Chunks seen;
    EXPECT_TRUE(parallel_for(begin, end, grain_size, [&](int64_t from, int64_t to) {
      const std::lock_guard<std::mutex> lock(mutex);
      EXPECT_GE(get_thread_num(), 0);
      EXPECT_LT(get_thread_num(), 4);
      seen.emplace_back(from, to);
    }));
    std::sort(seen.begin(), seen.end());
    return seen;
  }
};

TEST_F(ParallelForTest, ChunksCoverTheRangeOnce) {
  EXPECT_EQ(chunks(0, 8, 1), (Chunks{{0, 2}, {2, 4}, {4, 6}, {6, 8}}));
  EXPECT_EQ(chunks(3, 13, 1), (Chunks{{3, 6}, {6, 9}, {9, 12}, {12, 13}}));
  EXPECT_EQ(chunks(0, 10, 4), (Chunks{{0, 4}, {4, 8}, {8, 10}}));
  EXPECT_EQ(chunks(0, 10, 10), (Chunks{{0, 10}}));
  EXPECT_EQ(chunks(0, 10, 1000), (Chunks{{0, 10}}));
  EXPECT_EQ(chunks(5, 5, 1), Chunks{});
  const int64_t far = INT64_MAX;
  EXPECT_EQ(chunks(far - 2, far, 1), (Chunks{{far - 2, far - 1}, {far - 1, far}}));
}

TEST_F(ParallelForTest, RefusesBadRanges) {
  const auto never = [](int64_t, int64_t) { FAIL(); };
  EXPECT_FALSE(parallel_for(2, 1, 1, never));
  EXPECT_FALSE(parallel_for(-1, 1, 1, never));
  EXPECT_FALSE(parallel_for(0, 1, 0, never));
  EXPECT_FALSE(parallel_for(0, 1, -1, never));
}

TEST_F(ParallelForTest, WorkMayNest) {
  std::atomic<int64_t> sum{0};
  EXPECT_TRUE(parallel_for(0, 8, 1, [&](int64_t from, int64_t to) {
    const int64_t number = get_thread_num();
    EXPECT_TRUE(parallel_for(from, to, 1, [&](int64_t inner_from, int64_t inner_to) {
      for (int64_t i = inner_from; i < inner_to; ++i) {
        sum += i;
      }
    }));
    EXPECT_EQ(get_thread_num(), number);
  }));
  EXPECT_EQ(sum, 28);
}

TEST_F(ParallelForTest, GuardRunsTheWholeRangeHere) {
  const threadpool::NoThreadPoolGuard guard;
  EXPECT_EQ(chunks(0, 8, 1), (Chunks{{0, 8}}));
}

TEST_F(ParallelForTest, ThreadNumberCanBeSet) {
  EXPECT_EQ(get_thread_num(), 0);
  set_thread_num(3);
  EXPECT_EQ(get_thread_num(), 3);
  set_thread_num(0);
}

TEST_F(ParallelForTest, LegacyNames) {
  EXPECT_TRUE(torch::executor::parallel_for(0, 1, 1, [](int64_t, int64_t) {}));
  EXPECT_EQ(torch::executor::get_thread_num(), 0);
}

}  // namespace
