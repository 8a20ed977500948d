#pragma once

#include <executorch/backends/openvino/runtime/options.h>
#include <executorch/runtime/backend/interface.h>

namespace executorch {
namespace backends {
namespace openvino {

/// Runs delegates with OpenVINO, whose C library is looked for when the first of them is loaded.
class OpenvinoBackend final : public runtime::BackendInterface {
 public:
  /// Whether OpenVINO's library is found; the log says where it was looked for.
  bool is_available() const override;

  /// Imports the compiled model in `processed`. The delegate's state is on the heap.
  runtime::Result<runtime::DelegateHandle*> init(
      runtime::BackendInitContext& context, runtime::FreeableBuffer* processed,
      runtime::ArrayRef<runtime::CompileSpec> compile_specs) const override;

  runtime::Error execute(runtime::BackendExecutionContext& context, runtime::DelegateHandle* handle,
                         runtime::Span<runtime::EValue*> args) const override;

  void destroy(runtime::DelegateHandle* handle) const override;
  size_t num_outputs(runtime::DelegateHandle* handle) const override;

  /// Settings for the delegates that are made afterwards; see `Options`.
  runtime::Error set_option(runtime::BackendOptionContext& context,
                            const runtime::Span<runtime::BackendOption>& options) override;

  runtime::Error get_option(runtime::BackendOptionContext& context,
                            runtime::Span<runtime::BackendOption>& options) override;

 private:
  Options options_;
};

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
