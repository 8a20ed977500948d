#pragma once

#include <atomic>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {

/// Lets calls of one delegate in one at a time: `execute()` of a backend whose delegates have
/// memory of their own runs within it. A call while another one runs does nothing.
class CallGuard {
 public:
  /// Calls `call()`, which returns an Error.
  ///
  /// @param backend Whose delegate it is, for the log.
  /// @retval Error::InvalidState Another thread is within.
  template <typename Call>
  Error run(const char* backend, Call&& call) {
    ET_CHECK_OR_RETURN_ERROR(!is_running_.exchange(true, std::memory_order_acquire), InvalidState,
                             "%s: another thread is running this method", backend);
    const Error error = call();
    is_running_.store(false, std::memory_order_release);
    return error;
  }

 private:
  std::atomic<bool> is_running_{false};
};

}  // namespace runtime
}  // namespace executorch
