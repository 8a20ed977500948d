#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include <executorch/backends/vulkan/runtime/graph/call.h>
#include <executorch/backends/vulkan/runtime/graph/positions.h>
#include <executorch/runtime/backend/backend_execution_context.h>
#include <executorch/runtime/backend/call_guard.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace backends {
namespace vulkan {

/// A delegate that is ready to run. One thread at a time uses it; several run side by side.
class Executor final : private Memory {
 public:
  /// @param data The delegate's bytes, which are read until `is_recorded()`.
  /// @param named Data of the program and of the files loaded with it; may be null.
  static runtime::Result<std::unique_ptr<Executor>> create(Device& device, const void* data,
                                                           size_t size,
                                                           const runtime::NamedDataMap* named,
                                                           bool is_profiled);

  /// Runs on `args`: the inputs (tensors, or integers for sizes), then the outputs, which are
  /// resized.
  ///
  /// @retval Error::InvalidState Another thread runs this delegate.
  /// @retval Error::InvalidProgram An output may not be written.
  runtime::Error execute(runtime::Span<runtime::EValue*> args,
                         runtime::BackendExecutionContext& context);

  const Device& device() const { return device_; }
  bool is_recorded() const { return is_recorded_; }
  size_t num_outputs() const { return graph_.outputs.size(); }
  size_t num_dispatches() const { return stream_->num_dispatches(); }
  size_t num_barriers() const { return stream_->num_barriers(); }

 private:
  explicit Executor(Device& device) : device_(device), positions_(device) {}

  Buffer* buffer(uint32_t value, Packing packing) override;
  Buffer* live(uint32_t value, int64_t most) override { return positions_.live(value, most); }
  void fix(uint32_t value) override { positions_.fix(value); }
  Buffer* constant(const GraphTensor& tensor, Packing packing);
  runtime::Result<std::unique_ptr<Buffer>> packed(const GraphTensor& tensor, Packing packing);

  runtime::Error plan();
  runtime::Error make_state(const OperatorCall& call);
  runtime::Error check_calls() const;
  runtime::Error record();
  runtime::Error take_sizes(runtime::Span<runtime::EValue*> args, bool& is_changed);
  runtime::Error copy_inputs(runtime::Span<runtime::EValue*> args);
  runtime::Error copy_outputs(runtime::Span<runtime::EValue*> args,
                              const runtime::BackendExecutionContext& context);
  runtime::Error run(runtime::Span<runtime::EValue*> args,
                     runtime::BackendExecutionContext& context);
  runtime::Error report(runtime::EventTracer* tracer, uint64_t begin);

  Device& device_;
  Graph graph_;
  std::vector<runtime::FreeableBuffer> held_;
  std::vector<std::unique_ptr<Buffer>> memories_;
  std::map<uint32_t, std::unique_ptr<Buffer>> own_;
  Positions positions_;
  std::map<std::tuple<int32_t, Packing, DType>, std::unique_ptr<Buffer>> constants_;
  /// Of values that the host reads or writes.
  std::vector<bool> is_port_;
  // Its commands name the memory above, so it goes first.
  std::unique_ptr<Stream> stream_;
  bool is_recorded_ = false;
  bool is_profiled_ = false;
  runtime::CallGuard guard_;
};

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
