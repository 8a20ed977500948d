#include <array>
#include <cstring>

#include <executorch/backends/xnnpack/runtime/XnnpackBackendOptions.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::BackendInitContext;
using runtime::BackendOption;
using runtime::Error;
using runtime::Result;
using runtime::internal::is_option;
using runtime::internal::read_option_value;

namespace {

using Text = std::array<char, runtime::kMaxOptionValueLength>;

Result<WorkspaceSharingMode> mode_of(int value) {
  ET_CHECK_OR_RETURN_ERROR(value >= 0 && value < int(WorkspaceSharingMode::Count), InvalidArgument,
                           "XNNPACK: there is no workspace sharing mode %d", value);
  return static_cast<WorkspaceSharingMode>(value);
}

/// The option of `load_method`, or `otherwise` if it was not given.
template <typename T>
Result<T> given_or(const BackendInitContext& context, const char* key, T otherwise) {
  Result<T> given = context.get_runtime_spec<T>(key);
  if (!given.ok() && given.error() == Error::NotFound) {
    return otherwise;
  }
  return given;
}

}  // namespace

Error XnnpackBackendOptions::set_option(const BackendOption& option) {
  if (is_option(option, workspace_sharing_mode_option_key)) {
    int value = 0;
    ET_CHECK_OK_OR_RETURN_ERROR(read_option_value(option, value));
    const Result<WorkspaceSharingMode> mode = mode_of(value);
    return mode.ok() ? workspaces_.set_sharing_mode(*mode) : mode.error();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_option(option, weight_cache_option_key)) {
    return read_option_value(option, weight_cache_);
  }
  if (is_option(option, packed_cache_path_option_key)) {
    const char* path = nullptr;
    ET_CHECK_OK_OR_RETURN_ERROR(read_option_value(option, path));
    packed_cache_path_ = path;
    return Error::Ok;
  }
  ET_LOG(Info, "XNNPACK: there is no option %.*s", int(runtime::kMaxOptionKeyLength), option.key);
  return Error::Ok;
}

Error XnnpackBackendOptions::get_option(BackendOption& option) const {
  if (is_option(option, workspace_sharing_mode_option_key)) {
    option.value = static_cast<int>(workspaces_.get_sharing_mode());
    return Error::Ok;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_option(option, weight_cache_option_key)) {
    option.value = weight_cache_;
  } else if (is_option(option, packed_cache_path_option_key)) {
    Text text = {};
    // As it came out of an option, it fits into one.
    (void)runtime::internal::copy_option_text(text.data(), text.size(), packed_cache_path_.c_str());
    option.value = text;
  }
  return Error::Ok;
}

Result<bool> XnnpackBackendOptions::resolve_weight_cache(const BackendInitContext& context) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return given_or(context, weight_cache_option_key, weight_cache_);
}

Result<WorkspaceSharingMode> XnnpackBackendOptions::resolve_sharing_mode(
    const BackendInitContext& context) const {
  const Result<int> value = given_or(context, workspace_sharing_mode_option_key,
                                     static_cast<int>(workspaces_.get_sharing_mode()));
  if (!value.ok()) {
    return value.error();
  }
  return mode_of(*value);
}

Result<std::string> XnnpackBackendOptions::resolve_packed_cache_path(
    const BackendInitContext& context) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Result<const char*> path =
      given_or(context, packed_cache_path_option_key, packed_cache_path_.c_str());
  if (!path.ok()) {
    return path.error();
  }
  return std::string(*path);
}

Result<std::shared_ptr<PackedWeights>> XnnpackBackendOptions::resolve_packed_weights(
    const BackendInitContext& context) const {
  const Result<bool> is_on = resolve_weight_cache(context);
  if (!is_on.ok()) {
    return is_on.error();
  }
  if (!*is_on) {
    return std::shared_ptr<PackedWeights>();
  }
  const Result<std::string> path = resolve_packed_cache_path(context);
  if (!path.ok()) {
    return path.error();
  }
  return packed_weights_of(*path);
}

Result<std::shared_ptr<XNNWorkspace>> XnnpackBackendOptions::resolve_workspace(
    BackendInitContext& context) const {
  const Result<WorkspaceSharingMode> mode = resolve_sharing_mode(context);
  if (!mode.ok()) {
    return mode.error();
  }
  const auto model = reinterpret_cast<uintptr_t>(context.get_runtime_allocator());
  return workspaces_.get_or_create_workspace(model, *mode);
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
