#include <algorithm>

#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>

namespace executorch {
namespace extension {

namespace {

thread_local int64_t thread_number = 0;

/// One call of parallel_for, as the pool's tasks see it.
struct Range {
  int64_t begin;
  int64_t end;
  int64_t chunk;
  ::executorch::runtime::FunctionRef<void(int64_t, int64_t)> function;

  void run(size_t index) const {
    const int64_t from = begin + static_cast<int64_t>(index) * chunk;
    // A chunk's number serves as its thread's: no two chunks of a call that run at the same time
    // have the same, and it is below the number of threads.
    const int64_t previous = thread_number;
    thread_number = static_cast<int64_t>(index);
    function(from, end - from < chunk ? end : from + chunk);
    thread_number = previous;
  }
};

}  // namespace

bool parallel_for(const int64_t begin, const int64_t end, const int64_t grain_size,
                  ::executorch::runtime::FunctionRef<void(int64_t, int64_t)> f) {
  if (begin < 0 || end < begin || grain_size < 1 || end - begin <= grain_size ||
      threadpool::NoThreadPoolGuard::is_enabled()) {
    return internal::parallel_for_no_threadpool(begin, end, grain_size, f);
  }
  threadpool::ThreadPool* const pool = threadpool::get_threadpool();
  const int64_t length = end - begin;
  const auto threads = static_cast<int64_t>(pool->get_thread_count());
  const int64_t chunk = std::max(grain_size, length / threads + (length % threads != 0 ? 1 : 0));
  const Range range{begin, end, chunk, f};
  pool->run([&range](size_t index) { range.run(index); },
            static_cast<size_t>(length / chunk + (length % chunk != 0 ? 1 : 0)));
  return true;
}

int64_t get_thread_num() { return thread_number; }

void set_thread_num(int64_t thread_num) { thread_number = thread_num; }

int64_t get_thread_count() {
  return static_cast<int64_t>(threadpool::get_threadpool()->get_thread_count());
}

}  // namespace extension
}  // namespace executorch
