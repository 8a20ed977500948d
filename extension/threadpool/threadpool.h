#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include <pthreadpool.h>

#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/platform/mutex.h>

namespace executorch {
namespace extension {
namespace threadpool {

/// Threads that share the work of one call. Kernels do not use this class but `parallel_for`
/// (`<executorch/runtime/kernel/thread_parallel_interface.h>`), which runs on the pool of the
/// process.
class ThreadPool final {
 public:
  /// Starts a pool of `thread_count` threads, the calling one among them. 0 takes the number that
  /// suits the machine: its performance cores that this process may run on, or all its logical
  /// processors when built with EXECUTORCH_THREADPOOL_USE_ALL_LOGICAL_CORES.
  explicit ThreadPool(size_t thread_count = 0);
  ~ThreadPool() = default;

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ThreadPool(ThreadPool&&) = delete;
  ThreadPool& operator=(ThreadPool&&) = delete;

  /// How many threads the pool has. A UseNThreadsThreadPoolGuard does not change this number, so
  /// memory for each thread can be laid out by it.
  size_t get_thread_count() const { return thread_count_; }

  /// Replaces the threads by `num_threads` others; 0, or as many as there are, changes nothing.
  ///
  /// Unsafe because what get_pthreadpool() returned before is gone, and because memory that
  /// somebody laid out for each thread may not suffice: call it before programs are loaded.
  ///
  /// @return Whether the pool has as many threads as were asked for.
  bool _unsafe_reset_threadpool(uint32_t num_threads);

  /// Calls `fn(i)` for each i below `range`, each exactly once, and returns when all have run.
  ///
  /// The calls may run at the same time. Under a NoThreadPoolGuard, and so within `fn` itself, all
  /// run one after another on the calling thread.
  void run(::executorch::runtime::FunctionRef<void(size_t)> fn, size_t range);

 private:
  friend pthreadpool_t get_pthreadpool();
  friend class UseNThreadsThreadPoolGuard;

  struct Destroy {
    void operator()(pthreadpool_t pool) const { pthreadpool_destroy(pool); }
  };

  ::executorch::runtime::Mutex mutex_;  // Held while the pool works or changes.
  std::atomic<size_t> thread_count_;    // Read by tasks, so not under the mutex.
  std::unique_ptr<struct pthreadpool, Destroy> threadpool_;
};

/// The pool of this process, started by the first call. Never null. In a child that was forked,
/// where threads of the parent do not exist, a pool of its own.
ThreadPool* get_threadpool();

/// The pool of this process for libraries that speak pthreadpool's own interface, such as XNNPACK.
/// Null, which means the calling thread alone, under a NoThreadPoolGuard.
pthreadpool_t get_pthreadpool();

}  // namespace threadpool
}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executorch {
namespace threadpool {
using ::executorch::extension::threadpool::get_pthreadpool;
using ::executorch::extension::threadpool::get_threadpool;
using ::executorch::extension::threadpool::ThreadPool;
}  // namespace threadpool
}  // namespace executorch
}  // namespace torch
