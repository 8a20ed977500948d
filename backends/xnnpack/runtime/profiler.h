#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <xnnpack.h>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/platform/types.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// Reports to the event tracer how long each operator of a delegate took.
///
/// An operator goes by the debug handle of its node, with the operator's name as metadata; those
/// without a handle go by that name and their number among the operators of this name.
class Profiler {
 public:
  /// @param runtime Made with XNN_FLAG_BASIC_PROFILING.
  /// @param debug_handles Of the nodes, 0 for none.
  runtime::Error initialize(xnn_runtime_t runtime, const std::vector<uint32_t>& debug_handles);

  bool is_initialized() const { return !operators_.empty(); }

  /// Reports the last invocation, which began at `begin`.
  void report(xnn_runtime_t runtime, runtime::EventTracer* tracer, et_timestamp_t begin);

 private:
  struct Operator {
    uint32_t handle = 0;
    std::string name;
    /// The name with its number, for operators without a handle.
    std::string numbered;
  };

  std::vector<Operator> operators_;
  std::vector<uint32_t> nodes_;
  std::vector<uint64_t> ends_;
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
