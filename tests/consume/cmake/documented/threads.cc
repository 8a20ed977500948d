// The thread pool that kernels share, by its documented target and header.
#include <atomic>
#include <cstdio>

#include <executorch/extension/threadpool/cpuinfo_utils.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>

int main() {
  auto* pool = executorch::extension::threadpool::get_threadpool();
  pool->_unsafe_reset_threadpool(2);
  std::atomic<int> sum{0};
  pool->run([&sum](size_t index) { sum += static_cast<int>(index); }, 10);
  std::printf("threads: %zu, sum %d\n", pool->get_thread_count(), sum.load());
  return 0;
}
