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

Error read_text(const BackendOption& option, std::string& into) {
  const char* text = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(read_option_value(option, text));
  into = text;
  return Error::Ok;
}

/// As the text came out of an option, it fits into one.
void write_text(const std::string& text, BackendOption& option) {
  Text value = {};
  (void)runtime::internal::copy_option_text(value.data(), value.size(), text.c_str());
  option.value = value;
}

Result<std::string> given_or(const BackendInitContext& context, const char* key,
                             const std::string& otherwise) {
  const Result<const char*> given = given_or(context, key, otherwise.c_str());
  if (!given.ok()) {
    return given.error();
  }
  return std::string(*given);
}

}  // namespace

Error XnnpackBackendOptions::set_option(const BackendOption& option) {
  if (is_option(option, workspace_sharing_mode_option_key)) {
    int value = 0;
    ET_CHECK_OK_OR_RETURN_ERROR(read_option_value(option, value));
    const Result<WorkspaceSharingMode> mode = mode_of(value);
    return mode.ok() ? workspaces_.set_sharing_mode(*mode) : mode.error();
  }
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  if (is_option(option, weight_cache_option_key)) {
    return read_option_value(option, weight_cache_);
  }
  if (is_option(option, packed_cache_path_option_key)) {
    return read_text(option, packed_cache_path_);
  }
  if (is_option(option, weight_cache_group_option_key)) {
    return read_text(option, weight_cache_group_);
  }
  ET_LOG(Info, "XNNPACK: there is no option %.*s", int(runtime::kMaxOptionKeyLength), option.key);
  return Error::Ok;
}

Error XnnpackBackendOptions::get_option(BackendOption& option) const {
  if (is_option(option, workspace_sharing_mode_option_key)) {
    option.value = static_cast<int>(workspaces_.get_sharing_mode());
    return Error::Ok;
  }
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  if (is_option(option, weight_cache_option_key)) {
    option.value = weight_cache_;
  } else if (is_option(option, packed_cache_path_option_key)) {
    write_text(packed_cache_path_, option);
  } else if (is_option(option, weight_cache_group_option_key)) {
    write_text(weight_cache_group_, option);
  }
  return Error::Ok;
}

Result<bool> XnnpackBackendOptions::resolve_weight_cache(const BackendInitContext& context) const {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
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
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  return given_or(context, packed_cache_path_option_key, packed_cache_path_);
}

Result<std::string> XnnpackBackendOptions::resolve_weight_cache_group(
    const BackendInitContext& context) const {
  const std::lock_guard<runtime::Mutex> lock(mutex_);
  return given_or(context, weight_cache_group_option_key, weight_cache_group_);
}

Result<std::shared_ptr<PackedWeights>> XnnpackBackendOptions::resolve_packed_weights(
    BackendInitContext& context) const {
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
  if (!path->empty()) {
    return packed_weights_of(*path);
  }
  const Result<std::string> group = resolve_weight_cache_group(context);
  if (!group.ok()) {
    return group.error();
  }
  if (!group->empty()) {
    return packed_weights_in("group " + *group);
  }
  // While one of its delegates exists, no other program has its data at the same address; and
  // without named data, no other method the allocator.
  const void* program = context.get_named_data_map();
  if (program == nullptr) {
    program = context.get_runtime_allocator();
  }
  return packed_weights_in("program " + std::to_string(reinterpret_cast<uintptr_t>(program)));
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
