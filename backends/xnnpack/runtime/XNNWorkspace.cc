#include <atomic>

#include <executorch/backends/xnnpack/runtime/XNNWorkspace.h>
#include <executorch/backends/xnnpack/runtime/initialize.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Error;
using runtime::Result;

namespace {

uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

XNNWorkspace::XNNWorkspace(xnn_workspace_t workspace) : workspace_(workspace), id_(next_id()) {}

Result<std::shared_ptr<XNNWorkspace>> XNNWorkspace::create() {
  xnn_workspace_t made = nullptr;
  xnn_status status = initialize();
  if (status == xnn_status_success) {
    status = xnn_create_workspace(&made);
  }
  if (status != xnn_status_success) {
    ET_LOG(Error, "XNNPACK: no workspace can be made (status %d)", int(status));
    return Error::Internal;
  }
  return std::shared_ptr<XNNWorkspace>(new XNNWorkspace(made));
}

XNNWorkspace::Acquired XNNWorkspace::acquire() {
  if (!locks_) {
    return {std::unique_lock<runtime::Mutex>(), workspace_.get()};
  }
  return {std::unique_lock<runtime::Mutex>(mutex_), workspace_.get()};
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
