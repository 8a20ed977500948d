#include <executorch/backends/openvino/runtime/OpenvinoBackend.h>
#include <executorch/backends/openvino/runtime/cores.h>
#include <executorch/backends/openvino/runtime/executor.h>
#include <executorch/backends/openvino/runtime/library.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace openvino {

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

bool OpenvinoBackend::is_available() const { return load_library(options_.library_path()).ok(); }

Result<DelegateHandle*> OpenvinoBackend::init(BackendInitContext& context,
                                              FreeableBuffer* processed,
                                              ArrayRef<CompileSpec> compile_specs) const {
  const Result<const Library*> library = load_library(options_.library_path());
  if (!library.ok()) {
    return library.error();
  }
  Result<Settings> settings = options_.settings(context, compile_specs);
  if (!settings.ok()) {
    return settings.error();
  }
  const bool is_profiled = context.event_tracer() != nullptr;
  if (is_profiled) {
    settings->properties["PERF_COUNT"] = "YES";
  }
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(**library, *settings, processed->data(), processed->size(),
                       context.get_named_data_map(), is_profiled);
  if (!executor.ok()) {
    return executor.error();
  }
  // The bytes are not freed: the compiled model's constants lie in them.
  return static_cast<DelegateHandle*>(executor->release());
}

Error OpenvinoBackend::execute(BackendExecutionContext& context, DelegateHandle* handle,
                               Span<EValue*> args) const {
  return static_cast<Executor*>(handle)->execute(args, context);
}

void OpenvinoBackend::destroy(DelegateHandle* handle) const {
  delete static_cast<Executor*>(handle);
}

size_t OpenvinoBackend::num_outputs(DelegateHandle* handle) const {
  return static_cast<const Executor*>(handle)->num_outputs();
}

Error OpenvinoBackend::set_option(BackendOptionContext& context,
                                  const Span<BackendOption>& options) {
  (void)context;
  for (const BackendOption& option : options) {
    ET_CHECK_OK_OR_RETURN_ERROR(options_.set_option(option));
  }
  return Error::Ok;
}

Error OpenvinoBackend::get_option(BackendOptionContext& context, Span<BackendOption>& options) {
  (void)context;
  for (BackendOption& option : options) {
    options_.get_option(option);
    ET_CHECK_OK_OR_RETURN_ERROR(describe_library(options_.library_path(), option));
  }
  return Error::Ok;
}

namespace {

OpenvinoBackend backend;
[[maybe_unused]] const Error registered =
    runtime::register_backend({openvino_backend_key, &backend});

}  // namespace

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
