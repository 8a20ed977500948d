#pragma once

#include <memory>
#include <vector>

#include <xnnpack.h>

#include <executorch/backends/xnnpack/runtime/subgraph.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// One delegate, ready to run. Weights are packed when it is made; a change of input sizes is taken
/// over without making anything anew.
class Executor {
 public:
  /// @param named Data of the program and of the files loaded with it; may be null.
  static runtime::Result<std::unique_ptr<Executor>> create(const Blob& blob,
                                                           const runtime::NamedDataMap* named);

  /// Runs on `args`: the inputs, then the outputs, which are resized.
  runtime::Error execute(runtime::Span<runtime::EValue*> args);

  /// Inputs and outputs.
  size_t num_arguments() const { return externals_.size(); }

 private:
  struct Delete {
    void operator()(xnn_runtime_t runtime) const { xnn_delete_runtime(runtime); }
  };

  runtime::Error take_input(size_t index, const executorch::aten::Tensor& tensor, bool& changed);
  runtime::Error resize_output(size_t index, executorch::aten::Tensor& tensor);

  // XNNPACK reads these until its runtime is gone, so they are declared first.
  std::vector<runtime::FreeableBuffer> data_;
  std::vector<std::unique_ptr<float[]>> scales_;
  std::unique_ptr<xnn_runtime, Delete> runtime_;
  std::vector<External> externals_;
  std::vector<xnn_external_value> pointers_;
  size_t num_inputs_ = 0;
  bool is_shaped_ = false;
  bool is_set_up_ = false;
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
