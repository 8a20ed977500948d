#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include <executorch/backends/xnnpack/runtime/XNNWorkspaceManager.h>
#include <executorch/backends/xnnpack/runtime/backend_keys.h>
#include <executorch/backends/xnnpack/runtime/packed_weights.h>
#include <executorch/runtime/backend/backend_init_context.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/mutex.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// The backend's settings, and what follows from them for a delegate. An option of `load_method`
/// goes before one of the backend. Safe to use from several threads.
class XnnpackBackendOptions {
 public:
  /// Changes the setting that the option names. Options of other names are left alone, with a word
  /// in the log.
  ///
  /// @retval Error::InvalidArgument The value is of the wrong type or out of range.
  runtime::Error set_option(const runtime::BackendOption& option);

  /// Fills in the value of the option; does nothing if there is no such option.
  runtime::Error get_option(runtime::BackendOption& option) const;

  /// Whether the delegate shares packed weights.
  ///
  /// @retval Error::InvalidArgument An option of `load_method` has the wrong type; this holds for
  ///     the other functions, too.
  runtime::Result<bool> resolve_weight_cache(const runtime::BackendInitContext& context) const;

  runtime::Result<WorkspaceSharingMode> resolve_sharing_mode(
      const runtime::BackendInitContext& context) const;

  runtime::Result<std::string> resolve_packed_cache_path(
      const runtime::BackendInitContext& context) const;

  runtime::Result<std::string> resolve_weight_cache_group(
      const runtime::BackendInitContext& context) const;

  /// The packed weights that the delegate shares: with whoever has the same file, else the same
  /// group, else its program, which is told by its named data; null if it shares none.
  runtime::Result<std::shared_ptr<PackedWeights>> resolve_packed_weights(
      runtime::BackendInitContext& context) const;

  /// The workspace of the delegate. Delegates of one method have one runtime allocator, which
  /// others do not have while the method exists.
  runtime::Result<std::shared_ptr<XNNWorkspace>> resolve_workspace(
      runtime::BackendInitContext& context) const;

  const XNNWorkspaceManager& workspace_manager() const { return workspaces_; }

 private:
  XNNWorkspaceManager workspaces_;
  mutable runtime::Mutex mutex_;
  bool weight_cache_ = true;
  std::string packed_cache_path_;
  std::string weight_cache_group_;
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
