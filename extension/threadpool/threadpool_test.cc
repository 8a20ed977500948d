#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pthreadpool.h>
#include <sys/wait.h>
#include <unistd.h>

#include <executorch/extension/threadpool/cpuinfo_utils.h>
#include <executorch/extension/threadpool/test_without_threads.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>

namespace {

using namespace executorch::extension::threadpool;

TEST(ThreadPoolTest, RunsEachIndexOnce) {
  for (const size_t threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.get_thread_count(), threads);
    for (const size_t range : {0, 1, 3, 1000}) {
      std::vector<std::atomic<int>> calls(range);
      pool.run([&](size_t i) { ++calls[i]; }, range);
      for (size_t i = 0; i < range; ++i) {
        EXPECT_EQ(calls[i], 1) << i;
      }
    }
  }
}

TEST(ThreadPoolTest, RunsAtTheSameTime) {
  ThreadPool pool(3);
  std::atomic<int> arrived{0};
  // Each of the three waits for the others: one thread alone could not get here.
  pool.run(
      [&](size_t) {
        ++arrived;
        while (arrived < 3) {
          std::this_thread::yield();
        }
      },
      3);
  EXPECT_EQ(arrived, 3);
}

TEST(ThreadPoolTest, DefaultCountSuitsTheMachine) {
  ThreadPool pool;
  EXPECT_GE(pool.get_thread_count(), 1u);
  EXPECT_EQ(pool.get_thread_count(), executorch::extension::cpuinfo::get_num_performant_cores());
  EXPECT_LE(pool.get_thread_count(),
            executorch::extension::cpuinfo::internal::get_num_available_processors());
}

TEST(ThreadPoolTest, ResetChangesTheCount) {
  ThreadPool pool(2);
  EXPECT_TRUE(pool._unsafe_reset_threadpool(4));
  EXPECT_EQ(pool.get_thread_count(), 4u);
  EXPECT_TRUE(pool._unsafe_reset_threadpool(0));  // Means: leave it.
  EXPECT_EQ(pool.get_thread_count(), 4u);
  std::atomic<int> calls{0};
  pool.run([&](size_t) { ++calls; }, 100);
  EXPECT_EQ(calls, 100);
}

TEST(ThreadPoolTest, TasksMayUseThePoolAgain) {
  ThreadPool pool(3);
  std::atomic<int> calls{0};
  pool.run(
      [&](size_t) {
        EXPECT_EQ(pool.get_thread_count(), 3u);
        const auto caller = std::this_thread::get_id();
        pool.run(
            [&](size_t) {
              EXPECT_EQ(std::this_thread::get_id(), caller);
              ++calls;
            },
            7);
      },
      5);
  EXPECT_EQ(calls, 35);
}

TEST(ThreadPoolTest, CallersTakeTurns) {
  ThreadPool pool(2);
  std::atomic<int> calls{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        pool.run([&](size_t) { ++calls; }, 10);
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(calls, 4 * 20 * 10);
}

TEST(ProcessPoolTest, IsOneAndWorks) {
  ASSERT_NE(get_threadpool(), nullptr);
  EXPECT_EQ(get_threadpool(), get_threadpool());
  EXPECT_NE(get_pthreadpool(), nullptr);
  ASSERT_TRUE(get_threadpool()->_unsafe_reset_threadpool(3));
  EXPECT_EQ(get_threadpool()->get_thread_count(), 3u);
  EXPECT_EQ(pthreadpool_get_threads_count(get_pthreadpool()), 3u);
  EXPECT_EQ(executorch::extension::get_thread_count(), 3);
}

// One binary has kernels with threads and kernels without.
TEST(ProcessPoolTest, SourcesWithoutThreadsStayWithoutThem) {
  ASSERT_TRUE(get_threadpool()->_unsafe_reset_threadpool(4));
  EXPECT_EQ(executorch::extension::get_thread_count(), 4);
  EXPECT_EQ(executorch::extension::testing::count_threads_without(), 1);
}

TEST(ProcessPoolTest, SurvivesFork) {
  ASSERT_TRUE(get_threadpool()->_unsafe_reset_threadpool(3));
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> calls{0};
    get_threadpool()->run([&](size_t) { ++calls; }, 50);
    _exit(calls == 50 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(GuardTest, NoThreadPoolKeepsWorkOnTheCallingThread) {
  ASSERT_TRUE(get_threadpool()->_unsafe_reset_threadpool(3));
  EXPECT_FALSE(NoThreadPoolGuard::is_enabled());
  {
    const NoThreadPoolGuard guard;
    {
      const NoThreadPoolGuard nested;
    }
    EXPECT_TRUE(NoThreadPoolGuard::is_enabled());
    EXPECT_EQ(get_pthreadpool(), nullptr);
    std::set<std::thread::id> seen;
    get_threadpool()->run([&](size_t) { seen.insert(std::this_thread::get_id()); }, 50);
    EXPECT_EQ(seen, std::set<std::thread::id>{std::this_thread::get_id()});
    std::thread([] { EXPECT_FALSE(NoThreadPoolGuard::is_enabled()); }).join();
  }
  EXPECT_FALSE(NoThreadPoolGuard::is_enabled());
  EXPECT_NE(get_pthreadpool(), nullptr);
}

TEST(GuardTest, UseNThreadsLimitsThem) {
  ASSERT_TRUE(get_threadpool()->_unsafe_reset_threadpool(4));
  {
    const UseNThreadsThreadPoolGuard two(2);
    EXPECT_EQ(pthreadpool_get_threads_count(get_pthreadpool()), 2u);
    // What memory for each thread is laid out by does not change.
    EXPECT_EQ(get_threadpool()->get_thread_count(), 4u);
    {
      const UseNThreadsThreadPoolGuard more(3);
      EXPECT_EQ(pthreadpool_get_threads_count(get_pthreadpool()), 2u);
    }
    std::mutex mutex;
    std::set<std::thread::id> seen;
    get_threadpool()->run(
        [&](size_t) {
          const std::lock_guard<std::mutex> lock(mutex);
          seen.insert(std::this_thread::get_id());
        },
        200);
    EXPECT_LE(seen.size(), 2u);
  }
  EXPECT_EQ(pthreadpool_get_threads_count(get_pthreadpool()), 4u);
}

}  // namespace
