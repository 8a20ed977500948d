#pragma once

#include <executorch/runtime/backend/interface.h>

namespace executorch {
namespace backends {
namespace mps {

/// The name that programs call the backend by.
constexpr char mps_backend_key[] = "MPSBackend";

/// Runs delegates with MPSGraph, on the graphics processor that the system prefers.
class MPSBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }

  /// Makes and compiles the graph. The delegate's state is on the heap; the bytes are let go.
  runtime::Result<runtime::DelegateHandle*> init(
      runtime::BackendInitContext& context, runtime::FreeableBuffer* processed,
      runtime::ArrayRef<runtime::CompileSpec> compile_specs) const override;

  runtime::Error execute(runtime::BackendExecutionContext& context, runtime::DelegateHandle* handle,
                         runtime::Span<runtime::EValue*> args) const override;

  void destroy(runtime::DelegateHandle* handle) const override;
  size_t num_outputs(runtime::DelegateHandle* handle) const override;
};

}  // namespace mps
}  // namespace backends
}  // namespace executorch
