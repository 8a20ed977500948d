#pragma once

namespace executorch {
namespace runtime {

/// Handed to a backend with `set_option` and `get_option`. Carries nothing yet; it is there so that
/// the interface need not change when it does.
class BackendOptionContext final {
 public:
  BackendOptionContext() = default;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::BackendOptionContext;
}  // namespace executor
}  // namespace torch
