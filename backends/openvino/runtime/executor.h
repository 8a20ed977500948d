#pragma once

#include <memory>
#include <vector>

#include <executorch/backends/openvino/runtime/model_text.h>
#include <executorch/backends/openvino/runtime/options.h>
#include <executorch/backends/openvino/runtime/ports.h>
#include <executorch/runtime/backend/backend_execution_context.h>
#include <executorch/runtime/backend/call_guard.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace backends {
namespace openvino {

/// One delegate: a compiled model and one request. Tensors are read and written where they lie;
/// only outputs whose size the model decides are copied. One thread at a time uses it.
class Executor {
 public:
  /// @param data What OpenVINO exported, or a model as text. It has to stay as long as the result
  ///     does: an imported model's constants lie in it.
  /// @param named_data Where a text's shared weights are; may be null.
  /// @param is_profiled Whether `execute` reports the times of OpenVINO's nodes.
  /// @retval Error::DelegateInvalidCompatibility The bytes are not OpenVINO's, or of another
  ///     version or processor.
  /// @retval Error::NotFound There is no named data of a constant.
  static runtime::Result<std::unique_ptr<Executor>> create(const Library& library,
                                                           const Settings& settings,
                                                           const void* data, size_t size,
                                                           const runtime::NamedDataMap* named_data,
                                                           bool is_profiled);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Runs on `args`: the inputs (tensors, or numbers for sizes), then the outputs, which are
  /// resized.
  ///
  /// @retval Error::InvalidState Another thread runs this delegate.
  /// @retval Error::InvalidProgram An output may not be written.
  runtime::Error execute(runtime::Span<runtime::EValue*> args,
                         runtime::BackendExecutionContext& context);

  /// How many of the arguments are outputs.
  size_t num_outputs() const { return ports_.size() - num_inputs_; }

 private:
  explicit Executor(const Library& library) : library_(library) {}

  runtime::Error import(const c::Core* core, const Settings& settings, const void* data,
                        size_t size);
  runtime::Error compile(const c::Core* core, const Settings& settings, const void* data,
                         size_t size, const runtime::NamedDataMap* named_data);
  runtime::Error run(runtime::Span<runtime::EValue*> args,
                     runtime::BackendExecutionContext& context);
  runtime::Error prepare_output(Port& port, runtime::EValue& arg,
                                const runtime::BackendExecutionContext& context);
  runtime::Error copy_output(const Port& port, executorch::aten::Tensor& tensor);
  void report(runtime::EventTracer* tracer, uint64_t begin);

  const Library& library_;
  /// What a compiled text's constants lie in.
  std::vector<runtime::FreeableBuffer> shared_;
  c::CompiledModel* model_ = nullptr;
  c::InferRequest* request_ = nullptr;
  std::vector<Port> ports_;
  size_t num_inputs_ = 0;
  bool is_profiled_ = false;
  runtime::CallGuard guard_;
};

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
