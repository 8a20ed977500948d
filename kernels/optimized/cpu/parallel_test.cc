#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/kernels/optimized/cpu/engine.h>

namespace {

using executorch::extension::threadpool::get_threadpool;
using executorch::extension::threadpool::NoThreadPoolGuard;
using torch::executor::native::optimized::parallel;

/// How often each number was handed out.
struct Counts {
  explicit Counts(size_t count) : seen(new std::atomic<int>[count]()) {}

  static void run(const void* self, size_t begin, size_t end) {
    const auto& counts = *static_cast<const Counts*>(self);
    EXPECT_LT(begin, end);
    for (size_t i = begin; i < end; ++i) {
      ++counts.seen[i];
    }
  }

  std::unique_ptr<std::atomic<int>[]> seen;
};

void expect_each_once(size_t count, size_t grain) {
  const Counts counts(count);
  parallel(count, grain, &Counts::run, &counts);
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(counts.seen[i], 1) << i << " of " << count << ", grain " << grain;
  }
}

TEST(ParallelTest, EveryNumberComesOnce) {
  for (const uint32_t threads : {1u, 2u, 3u, 7u}) {
    ASSERT_TRUE(get_threadpool()->_unsafe_reset_threadpool(threads));
    for (const size_t count : {1u, 2u, 3u, 5u, 8u, 31u, 1000u}) {
      for (const size_t grain : {1u, 2u, 7u, 1000u, 5000u}) {
        expect_each_once(count, grain);
      }
    }
  }
}

TEST(ParallelTest, OneThreadDoesTheSharesOfAll) {
  ASSERT_TRUE(get_threadpool()->_unsafe_reset_threadpool(4));
  const NoThreadPoolGuard guard;
  expect_each_once(100, 1);
}

}  // namespace
