#pragma once

#include <executorch/backends/xnnpack/runtime/XnnpackBackendOptions.h>
#include <executorch/backends/xnnpack/runtime/backend_keys.h>
#include <executorch/runtime/backend/interface.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// Runs delegates with XNNPACK, on the threads of `extension/threadpool`.
class XnnpackBackend final : public runtime::BackendInterface {
 public:
  /// Whether XNNPACK knows this processor.
  bool is_available() const override;

  /// Compiles the graph in `processed` and packs its weights. The delegate's state is on the heap.
  runtime::Result<runtime::DelegateHandle*> init(
      runtime::BackendInitContext& context, runtime::FreeableBuffer* processed,
      runtime::ArrayRef<runtime::CompileSpec> compile_specs) const override;

  runtime::Error execute(runtime::BackendExecutionContext& context, runtime::DelegateHandle* handle,
                         runtime::Span<runtime::EValue*> args) const override;

  void destroy(runtime::DelegateHandle* handle) const override;

  size_t num_outputs(runtime::DelegateHandle* handle) const override;

  /// Settings for the delegates that are made afterwards; `backend_keys.h` has their keys.
  runtime::Error set_option(runtime::BackendOptionContext& context,
                            const runtime::Span<runtime::BackendOption>& options) override;

  runtime::Error get_option(runtime::BackendOptionContext& context,
                            runtime::Span<runtime::BackendOption>& options) override;

 private:
  XnnpackBackendOptions options_;
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
