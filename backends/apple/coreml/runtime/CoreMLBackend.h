#pragma once

#include <mutex>
#include <string>

#include <executorch/runtime/backend/interface.h>

namespace executorch {
namespace backends {
namespace coreml {

/// The name that programs call the backend by.
constexpr char coreml_backend_key[] = "CoreMLBackend";
/// Where compiled models are kept (a text); empty, the default, is `executorch_coreml` in the
/// user's caches.
constexpr char cache_directory_option_key[] = "cache_directory";
/// Where models run: `all`, `cpu_only`, `cpu_and_gpu` or `cpu_and_ne`; before what the file says.
constexpr char compute_units_option_key[] = "compute_units";

/// Runs delegates with Core ML, which compiles the model of each once and keeps what it compiled.
class CoreMLBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }

  /// Compiles or finds the model, and loads it. The delegate's state is on the heap.
  runtime::Result<runtime::DelegateHandle*> init(
      runtime::BackendInitContext& context, runtime::FreeableBuffer* processed,
      runtime::ArrayRef<runtime::CompileSpec> compile_specs) const override;

  runtime::Error execute(runtime::BackendExecutionContext& context, runtime::DelegateHandle* handle,
                         runtime::Span<runtime::EValue*> args) const override;

  void destroy(runtime::DelegateHandle* handle) const override;
  size_t num_outputs(runtime::DelegateHandle* handle) const override;

  /// Settings for the delegates that are made afterwards.
  ///
  /// @retval Error::InvalidArgument There are no such compute units.
  runtime::Error set_option(runtime::BackendOptionContext& context,
                            const runtime::Span<runtime::BackendOption>& options) override;

  runtime::Error get_option(runtime::BackendOptionContext& context,
                            runtime::Span<runtime::BackendOption>& options) override;

 private:
  std::string setting(const runtime::BackendInitContext& context, const char* key,
                      const std::string& otherwise) const;
  std::string* place_of(const runtime::BackendOption& option);

  mutable std::mutex mutex_;
  std::string cache_directory_;
  std::string compute_units_;
};

}  // namespace coreml
}  // namespace backends
}  // namespace executorch
