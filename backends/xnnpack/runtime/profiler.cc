#include <map>

#include <executorch/backends/xnnpack/runtime/profiler.h>
#include <executorch/backends/xnnpack/runtime/xnnpack_extras.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Error;
using runtime::EventTracer;

namespace {

// What lowering writes for nodes that stand for nothing in the model; see graph/builder.py.
constexpr uint32_t kNoHandle = 0xFFFF;

}  // namespace

Error Profiler::initialize(xnn_runtime_t runtime, const std::vector<uint32_t>& debug_handles) {
  size_t size = 0;
  xnn_status status =
      xnn_get_runtime_profiling_info(runtime, xnn_profile_info_operator_name, 0, nullptr, &size);
  if (status == xnn_status_success) {
    return Error::Ok;  // A graph of which nothing is left to run.
  }
  std::vector<char> names(size);
  if (status == xnn_status_out_of_memory) {
    status = xnn_get_runtime_profiling_info(runtime, xnn_profile_info_operator_name, names.size(),
                                            names.data(), &size);
  }
  ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, Internal,
                           "XNNPACK: no profile can be had (status %d)", int(status));
  nodes_.resize(xnn_get_runtime_operator_times(runtime, 0, nullptr, nullptr));
  ends_.resize(nodes_.size());
  (void)xnn_get_runtime_operator_times(runtime, nodes_.size(), nodes_.data(), ends_.data());
  std::map<std::string, int> numbers;
  const char* name = names.data();
  for (const uint32_t node : nodes_) {
    Operator made;
    made.name = name;
    made.numbered = made.name + " #" + std::to_string(++numbers[made.name]);
    const uint32_t handle = node < debug_handles.size() ? debug_handles[node] : 0;
    made.handle = handle == kNoHandle ? 0 : handle;
    name += made.name.size() + 1;
    operators_.push_back(std::move(made));
  }
  return Error::Ok;
}

void Profiler::report(xnn_runtime_t runtime, EventTracer* tracer, et_timestamp_t begin) {
  (void)xnn_get_runtime_operator_times(runtime, nodes_.size(), nodes_.data(), ends_.data());
  const et_tick_ratio_t ratio = runtime::pal_ticks_to_ns_multiplier();
  const auto ticks_of = [&ratio](uint64_t nanoseconds) {
    return static_cast<et_timestamp_t>(double(nanoseconds) * double(ratio.denominator) /
                                       double(ratio.numerator));
  };
  uint64_t last = 0;
  for (size_t i = 0; i < operators_.size(); ++i) {
    const Operator& ran = operators_[i];
    const bool has_handle = ran.handle != 0;
    runtime::event_tracer_log_profiling_delegate(
        tracer, has_handle ? nullptr : ran.numbered.c_str(),
        has_handle ? static_cast<runtime::DelegateDebugIntId>(ran.handle)
                   : runtime::kUnsetDelegateDebugIntId,
        begin + ticks_of(last), begin + ticks_of(ends_[i]), ran.name.data(), ran.name.size());
    last = ends_[i];
  }
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
