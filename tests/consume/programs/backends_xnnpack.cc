/// The backend by its name: it is there because the library is linked, and it can start XNNPACK.

#include <cstdio>

#include <executorch/backends/xnnpack/runtime/XNNPACKBackend.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/runtime.h>

int main() {
  executorch::runtime::runtime_init();
  const auto* backend = executorch::runtime::get_backend_class("XnnpackBackend");
  const bool available = backend != nullptr && backend->is_available();
  std::printf("backends_xnnpack: %s\n", available ? "available" : "absent");
  return available ? 0 : 1;
}
