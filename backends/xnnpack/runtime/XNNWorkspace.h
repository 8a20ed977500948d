#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include <xnnpack.h>

#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/mutex.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// Memory for the intermediate values of one delegate, or of several that take turns.
class XNNWorkspace {
 public:
  /// What `acquire` hands out: the workspace may be used while the lock lives.
  using Acquired = std::pair<std::unique_lock<runtime::Mutex>, xnn_workspace_t>;

  /// An empty workspace; XNNPACK lets it grow to what the largest of its delegates needs.
  ///
  /// @retval Error::Internal XNNPACK does not run here, or there is no memory.
  static runtime::Result<std::shared_ptr<XNNWorkspace>> create();

  XNNWorkspace(const XNNWorkspace&) = delete;
  XNNWorkspace& operator=(const XNNWorkspace&) = delete;

  /// Waits until nobody else uses the workspace. XNNPACK moves the values of all its delegates when
  /// it grows, so making, running and destroying a delegate all happen within this.
  ///
  /// The lock is empty once `disable_locking` was called.
  Acquired acquire();

  /// For a workspace that only one delegate has: a method belongs to one thread at a time already.
  void disable_locking() { locks_ = false; }

  /// A number that no other workspace of this process has or had.
  uint64_t id() const { return id_; }

  /// The workspace without waiting, for the one who holds the lock.
  xnn_workspace_t unsafe_get_workspace() const { return workspace_.get(); }

 private:
  struct Release {
    void operator()(xnn_workspace_t workspace) const { xnn_release_workspace(workspace); }
  };

  explicit XNNWorkspace(xnn_workspace_t workspace);

  std::unique_ptr<xnn_workspace, Release> workspace_;
  runtime::Mutex mutex_;
  bool locks_ = true;
  const uint64_t id_;
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
