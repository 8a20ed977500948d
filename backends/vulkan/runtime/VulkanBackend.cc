#include <cstring>

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
Error check_messages(const Context& context, size_t before) {
  ET_CHECK_OR_RETURN_ERROR(context.num_messages() == before, Internal,
                           "Vulkan: the validation layer objects, see above");
  return Error::Ok;
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
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(**shared, processed->data(), processed->size(), context.get_named_data_map(),
                       context.event_tracer() != nullptr);
  if (!executor.ok()) {
    return executor.error();
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_messages(**shared, before));
  if ((*executor)->is_recorded()) {
    processed->Free();
  }
  return static_cast<DelegateHandle*>(executor->release());
}

Error VulkanBackend::execute(BackendExecutionContext& context, DelegateHandle* handle,
                             Span<EValue*> args) const {
  const Result<Context*> shared = Context::get();
  if (!shared.ok()) {
    return shared.error();
  }
  const size_t before = (*shared)->num_messages();
  ET_CHECK_OK_OR_RETURN_ERROR(static_cast<Executor*>(handle)->execute(args, context));
  return check_messages(**shared, before);
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
