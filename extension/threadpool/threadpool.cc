#include <algorithm>
#include <atomic>

#if defined(__wasi__) || defined(_WIN32)
// pthreadpool is built without threads there: a pool does its work where it is asked for.
#define THREADPOOL_HAS_THREADS 0
#else
#define THREADPOOL_HAS_THREADS 1
#include <pthread.h>
#endif

#include <executorch/extension/threadpool/cpuinfo_utils.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace extension {
namespace threadpool {

namespace {

size_t default_thread_count() {
#if !THREADPOOL_HAS_THREADS
  return 1;
#elif defined(EXECUTORCH_THREADPOOL_USE_ALL_LOGICAL_CORES)
  return cpuinfo::internal::get_num_available_processors();
#else
  return cpuinfo::get_num_performant_cores();
#endif
}

pthreadpool_t create(size_t thread_count) {
  pthreadpool_t pool = pthreadpool_create(thread_count);
  ET_CHECK_MSG(pool != nullptr, "Cannot start a pool of %zu threads", thread_count);
  return pool;
}

}  // namespace

ThreadPool::ThreadPool(size_t thread_count)
    : thread_count_(thread_count != 0 && THREADPOOL_HAS_THREADS ? thread_count
                                                                : default_thread_count()),
      threadpool_(create(thread_count_)) {}

bool ThreadPool::_unsafe_reset_threadpool(uint32_t num_threads) {
  std::lock_guard<::executorch::runtime::Mutex> lock(mutex_);
  if (num_threads == 0 || num_threads == thread_count_) {
    return true;
  }
  if (!THREADPOOL_HAS_THREADS) {
    return false;
  }
  threadpool_.reset();  // First, so that there are never more threads than either count.
  threadpool_.reset(create(num_threads));
  thread_count_ = num_threads;
  return true;
}

void ThreadPool::run(::executorch::runtime::FunctionRef<void(size_t)> fn, size_t range) {
  // A task that waited for the pool it runs on would wait for ever.
  if (NoThreadPoolGuard::is_enabled()) {
    for (size_t i = 0; i < range; ++i) {
      fn(i);
    }
    return;
  }
  std::lock_guard<::executorch::runtime::Mutex> lock(mutex_);
  const auto task = [](void* context, size_t index) {
    const NoThreadPoolGuard alone;
    (*static_cast<::executorch::runtime::FunctionRef<void(size_t)>*>(context))(index);
  };
  pthreadpool_parallelize_1d(threadpool_.get(), task, &fn, range, /*flags=*/0);
}

namespace {

std::atomic<ThreadPool*> process_pool{nullptr};

// The parent's pool stays allocated in a child: its destructor would wait for threads that the
// child does not have.
void watch_forks() {
#if THREADPOOL_HAS_THREADS
  static const int watched = pthread_atfork(
      nullptr, nullptr, [] { process_pool.store(nullptr, std::memory_order_release); });
  (void)watched;
#endif
}

}  // namespace

ThreadPool* get_threadpool() {
  ThreadPool* pool = process_pool.load(std::memory_order_acquire);
  if (pool != nullptr) {
    return pool;
  }
  watch_forks();
  // Lives until the process ends, since kernels may run in destructors of static objects.
  auto* created = new ThreadPool();
  if (process_pool.compare_exchange_strong(pool, created)) {
    return created;
  }
  delete created;
  return pool;
}

pthreadpool_t get_pthreadpool() {
  if (NoThreadPoolGuard::is_enabled()) {
    return nullptr;
  }
  ThreadPool* const pool = get_threadpool();
  std::lock_guard<::executorch::runtime::Mutex> lock(pool->mutex_);
  return pool->threadpool_.get();
}

UseNThreadsThreadPoolGuard::UseNThreadsThreadPoolGuard(size_t num_threads)
    : pool_(get_threadpool()) {
  std::lock_guard<::executorch::runtime::Mutex> lock(pool_->mutex_);
  pthreadpool_t pool = pool_->threadpool_.get();
  previous_ = pthreadpool_get_threads_count(pool);
  pthreadpool_set_threads_count(pool, std::min(previous_, std::max<size_t>(num_threads, 1)));
}

UseNThreadsThreadPoolGuard::~UseNThreadsThreadPoolGuard() {
  std::lock_guard<::executorch::runtime::Mutex> lock(pool_->mutex_);
  pthreadpool_set_threads_count(pool_->threadpool_.get(), previous_);
}

}  // namespace threadpool
}  // namespace extension
}  // namespace executorch
