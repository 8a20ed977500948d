#pragma once

#include <memory>
#include <string>
#include <vector>

#include <executorch/backends/apple/coreml/runtime/arrays.h>
#include <executorch/backends/apple/coreml/runtime/blob.h>
#include <executorch/runtime/backend/backend_execution_context.h>
#include <executorch/runtime/backend/call_guard.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace backends {
namespace coreml {

/// One delegate: a model of Core ML and its state. Inputs are read, and outputs of fixed shape
/// written, where they lie, where Core ML has the same elements. One thread at a time uses it.
class Model {
 public:
  /// Loads the compiled model and finds the ports that the blob names.
  ///
  /// @retval Error::DelegateInvalidCompatibility The model has other ports, or a state that this
  ///     system does not have.
  /// @retval Error::Internal Core ML cannot load it.
  static runtime::Result<std::unique_ptr<Model>> load(const Blob& blob, const std::string& path,
                                                      MLComputeUnits units);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Runs on `args`: the inputs, then the outputs, which are resized.
  ///
  /// @retval Error::InvalidState Another thread runs this delegate.
  /// @retval Error::InvalidProgram An output may not be written.
  runtime::Error execute(runtime::Span<runtime::EValue*> args,
                         runtime::BackendExecutionContext& context);

  size_t num_outputs() const { return outputs_.size(); }

 private:
  Model() = default;

  runtime::Error find_ports(const Blob& blob);
  runtime::Error make_state();
  runtime::Error run(runtime::Span<runtime::EValue*> args,
                     runtime::BackendExecutionContext& context);
  runtime::Result<id<MLFeatureProvider>> inputs_of(runtime::Span<runtime::EValue*> args);
  runtime::Result<MLPredictionOptions*> options_of(runtime::Span<runtime::EValue*> args,
                                                   runtime::BackendExecutionContext& context);
  runtime::Result<id<MLFeatureProvider>> predict(id<MLFeatureProvider> inputs,
                                                 MLPredictionOptions* options);

  MLModel* model_ = nil;
  /// An MLState, which older systems do not declare.
  id state_ = nil;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  runtime::CallGuard guard_;
};

}  // namespace coreml
}  // namespace backends
}  // namespace executorch
