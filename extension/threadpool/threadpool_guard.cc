#include <executorch/extension/threadpool/threadpool_guard.h>

namespace executorch {
namespace extension {
namespace threadpool {

namespace {
thread_local bool works_alone = false;
}  // namespace

bool NoThreadPoolGuard::is_enabled() { return works_alone; }

void NoThreadPoolGuard::set_enabled(bool enabled) { works_alone = enabled; }

}  // namespace threadpool
}  // namespace extension
}  // namespace executorch
