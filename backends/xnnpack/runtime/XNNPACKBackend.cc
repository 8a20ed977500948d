#include <executorch/backends/xnnpack/runtime/XNNPACKBackend.h>
#include <executorch/backends/xnnpack/runtime/blob.h>
#include <executorch/backends/xnnpack/runtime/executor.h>
#include <executorch/backends/xnnpack/runtime/initialize.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

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

bool XnnpackBackend::is_available() const { return initialize() == xnn_status_success; }

Result<DelegateHandle*> XnnpackBackend::init(BackendInitContext& context, FreeableBuffer* processed,
                                             ArrayRef<CompileSpec> compile_specs) const {
  (void)compile_specs;
  const Result<Blob> blob = Blob::parse(processed->data(), processed->size());
  if (!blob.ok()) {
    return blob.error();
  }
  const Result<std::shared_ptr<PackedWeights>> packed = options_.resolve_packed_weights(context);
  if (!packed.ok()) {
    return packed.error();
  }
  const Result<std::shared_ptr<XNNWorkspace>> workspace = options_.resolve_workspace(context);
  if (!workspace.ok()) {
    return workspace.error();
  }
  const ExecutorOptions options = {*packed, *workspace, context.event_tracer() != nullptr};
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(*blob, context.get_named_data_map(), options);
  if (!executor.ok()) {
    return executor.error();
  }
  return static_cast<DelegateHandle*>(executor->release());
}

Error XnnpackBackend::execute(BackendExecutionContext& context, DelegateHandle* handle,
                              Span<EValue*> args) const {
  return static_cast<Executor*>(handle)->execute(args, context);
}

void XnnpackBackend::destroy(DelegateHandle* handle) const {
  delete static_cast<Executor*>(handle);
}

size_t XnnpackBackend::num_outputs(DelegateHandle* handle) const {
  return static_cast<const Executor*>(handle)->num_outputs();
}

Error XnnpackBackend::set_option(BackendOptionContext& context,
                                 const Span<BackendOption>& options) {
  (void)context;
  for (const BackendOption& option : options) {
    ET_CHECK_OK_OR_RETURN_ERROR(options_.set_option(option));
  }
  return Error::Ok;
}

Error XnnpackBackend::get_option(BackendOptionContext& context, Span<BackendOption>& options) {
  (void)context;
  for (BackendOption& option : options) {
    ET_CHECK_OK_OR_RETURN_ERROR(options_.get_option(option));
  }
  return Error::Ok;
}

namespace {

XnnpackBackend backend;
[[maybe_unused]] const Error registered =
    runtime::register_backend({xnnpack_backend_key, &backend});

}  // namespace

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
