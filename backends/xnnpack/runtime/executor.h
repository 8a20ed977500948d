#pragma once

#include <memory>
#include <vector>

#include <xnnpack.h>

#include <executorch/backends/xnnpack/runtime/XNNWeightsCache.h>
#include <executorch/backends/xnnpack/runtime/XNNWorkspace.h>
#include <executorch/backends/xnnpack/runtime/margin.h>
#include <executorch/backends/xnnpack/runtime/packed_weights.h>
#include <executorch/backends/xnnpack/runtime/profiler.h>
#include <executorch/backends/xnnpack/runtime/subgraph.h>
#include <executorch/runtime/backend/backend_execution_context.h>
#include <executorch/runtime/backend/call_guard.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// What a delegate shares with others, and whether it is watched.
struct ExecutorOptions {
  /// Where packed weights are looked up; null to pack them for this delegate alone.
  std::shared_ptr<PackedWeights> packed_weights;
  /// Memory of intermediate values; null for one of its own.
  std::shared_ptr<XNNWorkspace> workspace;
  /// Whether operators are timed, which `execute` reports.
  bool is_profiled = false;
};

/// One delegate, ready to run. Weights are packed when it is made; a change of input sizes or of
/// the thread pool is taken over without making anything anew. One thread at a time uses it.
class Executor {
 public:
  /// @param named Data of the program and of the files loaded with it; may be null.
  static runtime::Result<std::unique_ptr<Executor>> create(const Blob& blob,
                                                           const runtime::NamedDataMap* named,
                                                           const ExecutorOptions& options);
  ~Executor();

  /// Runs on `args`: the inputs, then the outputs, which are resized. Numbers among them are left
  /// out. Waits until no other delegate uses the workspace.
  ///
  /// @param context Gets the times of the operators, and says which arguments may be written.
  /// @retval Error::InvalidState Another thread runs this delegate.
  /// @retval Error::InvalidProgram An output may not be written.
  runtime::Error execute(runtime::Span<runtime::EValue*> args,
                         runtime::BackendExecutionContext context = {});

  /// Inputs and outputs.
  size_t num_arguments() const { return externals_.size(); }
  size_t num_outputs() const { return externals_.size() - num_inputs_; }

  /// Null without shared weights.
  const delegate::XNNWeightsCache* weights_cache() const { return weights_cache_.get(); }
  const XNNWorkspace& workspace() const { return *workspace_; }

 private:
  struct Delete {
    void operator()(xnn_runtime_t runtime) const { xnn_delete_runtime(runtime); }
  };

  runtime::Error choose_workspace(const ExecutorOptions& options, const Subgraph& subgraph);
  runtime::Error compile(const Blob& blob, Subgraph& subgraph, const ExecutorOptions& options);
  runtime::Error take_input(size_t index, const executorch::aten::Tensor& tensor, bool& changed);
  runtime::Error take_inputs(runtime::Span<runtime::EValue*> args);
  runtime::Error resize_output(size_t index, executorch::aten::Tensor& tensor);
  runtime::Result<void*> memory_of(size_t index, const executorch::aten::Tensor& tensor);
  runtime::Result<void*> wide_memory_of(size_t index, const executorch::aten::Tensor& tensor);
  void narrow_outputs(runtime::Span<runtime::EValue*> args);
  runtime::Error set_up(runtime::Span<runtime::EValue*> args,
                        const runtime::BackendExecutionContext& context);
  runtime::Error choose_tensors(runtime::Span<runtime::EValue*> args);
  runtime::Error run(runtime::Span<runtime::EValue*> given,
                     runtime::BackendExecutionContext& context);
  void follow_threadpool();

  // XNNPACK uses these until its runtime is gone, so they are declared first.
  std::vector<runtime::FreeableBuffer> data_;
  std::vector<std::unique_ptr<float[]>> scales_;
  std::unique_ptr<delegate::XNNWeightsCache> weights_cache_;
  std::shared_ptr<XNNWorkspace> workspace_;
  std::unique_ptr<xnn_runtime, Delete> runtime_;
  std::vector<External> externals_;
  std::vector<xnn_external_value> pointers_;
  /// Of the inputs.
  std::vector<MarginCopy> copies_;
  /// Of the arguments in bfloat16.
  std::vector<MarginMemory> wide_;
  std::vector<runtime::EValue*> tensors_;
  ShapeRules shape_rules_;
  pthreadpool_t threadpool_ = nullptr;
  size_t num_threads_ = 1;
  size_t num_inputs_ = 0;
  Profiler profiler_;
  runtime::CallGuard guard_;
  bool is_shaped_ = false;
  bool is_set_up_ = false;
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
