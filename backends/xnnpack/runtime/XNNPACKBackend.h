#pragma once

#include <executorch/runtime/backend/interface.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// The backend's name in programs and in the registry.
constexpr char xnnpack_backend_key[] = "XnnpackBackend";

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
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
