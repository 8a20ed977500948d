#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/runtime/python/threads.h>

namespace executorch {
namespace runtime {
namespace python {

size_t thread_count() { return extension::threadpool::get_threadpool()->get_thread_count(); }

bool reset_threads(uint32_t count) {
  return extension::threadpool::get_threadpool()->_unsafe_reset_threadpool(count);
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
