#include <cstring>
#include <string>

#include <executorch/backends/vulkan/runtime/VulkanBackend.h>
#include <executorch/backends/vulkan/runtime/executor.h>
#include <executorch/backends/vulkan/runtime/vk/context.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace vulkan {

using runtime::ArrayRef;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::BackendOption;
using runtime::BackendOptionContext;
using runtime::CompileSpec;
using runtime::DelegateHandle;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::Span;

namespace {

/// What the validation layer objects to makes a call fail.
Error check_messages(const Device& device, size_t before) {
  ET_CHECK_OR_RETURN_ERROR(device.num_messages() == before, Internal,
                           "Vulkan: the validation layer objects, see above");
  return Error::Ok;
}

/// The file that the caller of `load_method` names; empty if he names none.
Result<std::string> pipeline_cache_path(const BackendInitContext& context) {
  const Result<const char*> given =
      context.get_runtime_spec<const char*>(pipeline_cache_path_option_key);
  if (given.ok()) {
    return std::string(*given);
  }
  if (given.error() == Error::NotFound) {
    return std::string();
  }
  ET_LOG(Error, "Vulkan: option %s is no text", pipeline_cache_path_option_key);
  return given.error();
}

}  // namespace

bool VulkanBackend::is_available() const { return Context::get().ok(); }

Result<DelegateHandle*> VulkanBackend::init(BackendInitContext& context, FreeableBuffer* processed,
                                            ArrayRef<CompileSpec> compile_specs) const {
  (void)compile_specs;
  const Result<Context*> shared = Context::get();
  if (!shared.ok()) {
    return shared.error();
  }
  const size_t before = (*shared)->num_messages();
  const Result<std::string> path = pipeline_cache_path(context);
  if (!path.ok()) {
    return path.error();
  }
  if (!path->empty()) {
    (*shared)->load_pipelines(*path);
  }
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(**shared, processed->data(), processed->size(), context.get_named_data_map(),
                       context.event_tracer() != nullptr);
  if (!executor.ok()) {
    return executor.error();
  }
  if (!path->empty()) {
    // Without the file it takes longer the next time, that is all; the log has the reason.
    (void)(*shared)->save_pipelines(*path);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_messages(**shared, before));
  if ((*executor)->is_recorded()) {
    processed->Free();
  }
  return static_cast<DelegateHandle*>(executor->release());
}

Error VulkanBackend::execute(BackendExecutionContext& context, DelegateHandle* handle,
                             Span<EValue*> args) const {
  Executor& executor = *static_cast<Executor*>(handle);
  const size_t before = executor.device().num_messages();
  ET_CHECK_OK_OR_RETURN_ERROR(executor.execute(args, context));
  return check_messages(executor.device(), before);
}

void VulkanBackend::destroy(DelegateHandle* handle) const { delete static_cast<Executor*>(handle); }

size_t VulkanBackend::num_outputs(DelegateHandle* handle) const {
  return static_cast<const Executor*>(handle)->num_outputs();
}

Error VulkanBackend::get_option(BackendOptionContext& context, Span<BackendOption>& options) {
  (void)context;
  for (BackendOption& option : options) {
    if (std::strcmp(option.key, validation_messages_option_key) == 0) {
      const Result<Context*> shared = Context::get();
      option.value = shared.ok() ? static_cast<int>((*shared)->num_messages()) : 0;
    }
  }
  return Error::Ok;
}

namespace {

VulkanBackend backend;
[[maybe_unused]] const Error registered = runtime::register_backend({vulkan_backend_key, &backend});

}  // namespace

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
