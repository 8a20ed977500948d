// Compiled without ET_USE_THREADPOOL, as a kernel for devices without threads is.
#include <executorch/extension/threadpool/test_without_threads.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>

#ifdef ET_USE_THREADPOOL
#error "this source shall not know of threads"
#endif

namespace executorch::extension::testing {

// By its address, since a compiler may put the function itself in the place of a call.
int64_t count_threads_without() {
  int64_t (*volatile count)() = &get_thread_count;
  return count();
}

}  // namespace executorch::extension::testing
