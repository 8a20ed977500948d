#pragma once

#include <cstddef>

namespace executorch {
namespace extension {
namespace threadpool {

class ThreadPool;

/// While one lives, the thread that made it works alone: `parallel_for` and `ThreadPool::run` do
/// everything on that thread, and get_pthreadpool() gives null. Other threads are not concerned.
/// Guards nest.
class NoThreadPoolGuard final {
 public:
  /// Whether the calling thread works alone.
  static bool is_enabled();
  static void set_enabled(bool enabled);

  NoThreadPoolGuard() : previous_(is_enabled()) { set_enabled(true); }
  ~NoThreadPoolGuard() { set_enabled(previous_); }

  NoThreadPoolGuard(const NoThreadPoolGuard&) = delete;
  NoThreadPoolGuard& operator=(const NoThreadPoolGuard&) = delete;

 private:
  const bool previous_;
};

/// While one lives, work on the process's pool is spread over at most `num_threads` of its threads,
/// without the cost of starting others. Concerns the whole process. Guards nest, and a nested one
/// can only lower the number.
class UseNThreadsThreadPoolGuard final {
 public:
  explicit UseNThreadsThreadPoolGuard(size_t num_threads);
  ~UseNThreadsThreadPoolGuard();

  UseNThreadsThreadPoolGuard(const UseNThreadsThreadPoolGuard&) = delete;
  UseNThreadsThreadPoolGuard& operator=(const UseNThreadsThreadPoolGuard&) = delete;

 private:
  ThreadPool* const pool_;
  size_t previous_;
};

}  // namespace threadpool
}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executorch {
namespace threadpool {
using ::executorch::extension::threadpool::NoThreadPoolGuard;
using ::executorch::extension::threadpool::UseNThreadsThreadPoolGuard;
}  // namespace threadpool
}  // namespace executorch
}  // namespace torch
