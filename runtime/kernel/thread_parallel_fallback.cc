#ifndef ET_USE_THREADPOOL
#define ET_USE_THREADPOOL
#endif
#include <executorch/runtime/kernel/thread_parallel_interface.h>
#include <executorch/runtime/platform/compiler.h>

// Weak: extension/threadpool, where it is linked, takes the place of all of them.

namespace executorch {
namespace extension {

ET_WEAK bool parallel_for(const int64_t begin, const int64_t end, const int64_t grain_size,
                          ::executorch::runtime::FunctionRef<void(int64_t, int64_t)> f) {
  return internal::parallel_for_no_threadpool(begin, end, grain_size, f);
}

ET_WEAK int64_t get_thread_num() { return 0; }

ET_WEAK void set_thread_num(int64_t) {}

ET_WEAK int64_t get_thread_count() { return 1; }

}  // namespace extension
}  // namespace executorch
