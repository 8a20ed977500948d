#pragma once

#include <memory>
#include <vector>

#import <MetalPerformanceShadersGraph/MetalPerformanceShadersGraph.h>

#include <executorch/backends/apple/mps/runtime/blob.h>
#include <executorch/runtime/backend/backend_execution_context.h>
#include <executorch/runtime/backend/call_guard.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace backends {
namespace mps {

/// An input or output: what the file says of it, and memory that both processors see.
struct Port {
  std::vector<executorch::aten::SizesType> sizes;
  executorch::aten::ScalarType type;
  MPSDataType element = MPSDataTypeInvalid;
  size_t bytes = 0;
  id<MTLBuffer> buffer = nil;
  MPSGraphTensorData* data = nil;
  MPSGraphTensor* tensor = nil;
};

/// One delegate: a compiled graph and the memory of its inputs and outputs. One thread at a time
/// uses it.
class Model {
 public:
  /// Makes the graph of the blob, and compiles it for the system's device.
  ///
  /// @retval Error::NotSupported There is no device with Metal.
  /// @retval Error::DelegateInvalidCompatibility The blob is no graph, or MPSGraph does not take
  ///     it.
  /// @retval Error::MemoryAllocationFailed The device has no memory for inputs and outputs.
  static runtime::Result<std::unique_ptr<Model>> load(const Blob& blob);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Runs on `args`: the inputs, then the outputs, dense and of the sizes that the file says.
  ///
  /// @retval Error::InvalidState Another thread runs this delegate.
  /// @retval Error::InvalidProgram An output may not be written.
  runtime::Error execute(runtime::Span<runtime::EValue*> args,
                         runtime::BackendExecutionContext& context);

  size_t num_outputs() const { return outputs_.size(); }

 private:
  Model() = default;

  runtime::Error build(const Blob& blob);
  void compile(const Blob& blob, MPSGraph* graph);
  runtime::Error make_memory();
  runtime::Error run(runtime::Span<runtime::EValue*> args,
                     runtime::BackendExecutionContext& context);
  runtime::Error encode();

  id<MTLDevice> device_ = nil;
  id<MTLCommandQueue> queue_ = nil;
  MPSGraph* graph_ = nil;
  MPSGraphExecutable* executable_ = nil;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  runtime::CallGuard guard_;
};

}  // namespace mps
}  // namespace backends
}  // namespace executorch
