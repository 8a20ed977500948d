#pragma once

#include <executorch/runtime/backend/interface.h>

namespace executorch {
namespace backends {
namespace vulkan {

/// The name that the backend is registered by.
constexpr char vulkan_backend_key[] = "VulkanBackend";

/// Option of `get_option`, an int: what the validation layer has had to say; see vk/context.h.
constexpr char validation_messages_option_key[] = "validation_messages";

/// Option of `load_method`, a text: a file that keeps compiled pipelines from one process to the
/// next, for the user who made it alone.
constexpr char pipeline_cache_path_option_key[] = "pipeline_cache_path";

/// Runs delegates with Vulkan's compute shaders. The loader is looked for when one is loaded.
class VulkanBackend final : public runtime::BackendInterface {
 public:
  /// Whether there is a loader and a driver with a device that will do; the log says what is not.
  bool is_available() const override;

  /// Reads the graph in `processed`, brings its constants to the device and records its commands.
  /// The delegate's state is on the heap.
  runtime::Result<runtime::DelegateHandle*> init(
      runtime::BackendInitContext& context, runtime::FreeableBuffer* processed,
      runtime::ArrayRef<runtime::CompileSpec> compile_specs) const override;

  runtime::Error execute(runtime::BackendExecutionContext& context, runtime::DelegateHandle* handle,
                         runtime::Span<runtime::EValue*> args) const override;

  void destroy(runtime::DelegateHandle* handle) const override;

  size_t num_outputs(runtime::DelegateHandle* handle) const override;

  runtime::Error get_option(runtime::BackendOptionContext& context,
                            runtime::Span<runtime::BackendOption>& options) override;
};

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
