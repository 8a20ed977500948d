#include <executorch/backends/xnnpack/runtime/XNNWorkspaceManager.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Error;
using runtime::Result;

namespace {

/// What `shared` refers to, made if there is nothing.
Result<std::shared_ptr<XNNWorkspace>> find_or_create(std::weak_ptr<XNNWorkspace>& shared) {
  if (std::shared_ptr<XNNWorkspace> found = shared.lock()) {
    return found;
  }
  Result<std::shared_ptr<XNNWorkspace>> made = XNNWorkspace::create();
  if (made.ok()) {
    shared = *made;
  }
  return made;
}

}  // namespace

Error XNNWorkspaceManager::set_sharing_mode(WorkspaceSharingMode mode) {
  ET_CHECK_OR_RETURN_ERROR(
      mode >= WorkspaceSharingMode::Disabled && mode < WorkspaceSharingMode::Count, InvalidArgument,
      "XNNPACK: there is no workspace sharing mode %d", int(mode));
  mode_ = mode;
  return Error::Ok;
}

Result<std::shared_ptr<XNNWorkspace>> XNNWorkspaceManager::get_or_create_workspace(
    uintptr_t program_id, WorkspaceSharingMode mode) const {
  if (mode == WorkspaceSharingMode::Disabled) {
    Result<std::shared_ptr<XNNWorkspace>> made = XNNWorkspace::create();
    if (made.ok()) {
      (*made)->disable_locking();
    }
    return made;
  }
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  if (mode == WorkspaceSharingMode::Global) {
    return find_or_create(global_);
  }
  // Models that are gone leave their entries behind; they go when the next model comes.
  if (of_models_.find(program_id) == of_models_.end()) {
    for (auto entry = of_models_.begin(); entry != of_models_.end();) {
      entry = entry->second.expired() ? of_models_.erase(entry) : std::next(entry);
    }
  }
  return find_or_create(of_models_[program_id]);
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
