#include <executorch/backends/apple/mps/runtime/MPSBackend.h>
#include <executorch/backends/apple/mps/runtime/blob.h>
#include <executorch/backends/apple/mps/runtime/model.h>

namespace executorch {
namespace backends {
namespace mps {

using runtime::ArrayRef;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::CompileSpec;
using runtime::DelegateHandle;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::Span;

Result<DelegateHandle*> MPSBackend::init(BackendInitContext& context, FreeableBuffer* processed,
                                         ArrayRef<CompileSpec> compile_specs) const {
  // Precision is in the graph; the file says nothing else.
  (void)context;
  (void)compile_specs;
  const Result<Blob> blob = read_blob(processed->data(), processed->size());
  if (!blob.ok()) {
    return blob.error();
  }
  Result<std::unique_ptr<Model>> model = Model::load(*blob);
  if (!model.ok()) {
    return model.error();
  }
  processed->Free();
  return static_cast<DelegateHandle*>(model->release());
}

Error MPSBackend::execute(BackendExecutionContext& context, DelegateHandle* handle,
                          Span<EValue*> args) const {
  return static_cast<Model*>(handle)->execute(args, context);
}

void MPSBackend::destroy(DelegateHandle* handle) const { delete static_cast<Model*>(handle); }

size_t MPSBackend::num_outputs(DelegateHandle* handle) const {
  return static_cast<const Model*>(handle)->num_outputs();
}

namespace {

MPSBackend backend;
[[maybe_unused]] const Error registered = runtime::register_backend({mps_backend_key, &backend});

}  // namespace

}  // namespace mps
}  // namespace backends
}  // namespace executorch
