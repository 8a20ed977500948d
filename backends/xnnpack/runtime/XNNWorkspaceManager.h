#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <executorch/backends/xnnpack/runtime/XNNWorkspace.h>
#include <executorch/backends/xnnpack/runtime/backend_keys.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/mutex.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// Decides which delegates share a workspace. Safe to use from several threads.
///
/// A workspace lives as long as a delegate has it. A new mode concerns the delegates that are made
/// afterwards; the others keep what they have.
class XNNWorkspaceManager {
 public:
  XNNWorkspaceManager() = default;

  /// The mode for delegates that do not ask for one of their own.
  WorkspaceSharingMode get_sharing_mode() const { return mode_; }

  /// @retval Error::InvalidArgument There is no such mode.
  runtime::Error set_sharing_mode(WorkspaceSharingMode mode);

  /// The workspace for a delegate of the model `program_id`, with the mode that is set. Models are
  /// told apart by a number of the caller's, such as an address that only the model has.
  ///
  /// @retval Error::Internal No workspace can be made.
  runtime::Result<std::shared_ptr<XNNWorkspace>> get_or_create_workspace(
      uintptr_t program_id) const {
    return get_or_create_workspace(program_id, mode_);
  }

  /// Same, with a mode of its own.
  runtime::Result<std::shared_ptr<XNNWorkspace>> get_or_create_workspace(
      uintptr_t program_id, WorkspaceSharingMode mode) const;

 private:
  std::atomic<WorkspaceSharingMode> mode_{WorkspaceSharingMode::PerModel};
  mutable runtime::Mutex mutex_;
  mutable std::weak_ptr<XNNWorkspace> global_;
  mutable std::unordered_map<uintptr_t, std::weak_ptr<XNNWorkspace>> of_models_;
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
