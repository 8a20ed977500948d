#pragma once

#include <vector>

#include <pybind11/pybind11.h>

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/options.h>

namespace executorch {
namespace runtime {
namespace python {

/// Options of a backend out of a mapping of Python's, from texts to bool, int or str. Throws
/// Failure, which names the option that does not fit.
std::vector<BackendOption> backend_options_of(const pybind11::str& backend,
                                              const pybind11::dict& options);

/// Options for the backends of one `load_method`, with the memory that they refer to.
class LoadOptions {
 public:
  /// @param options From names of backends to mappings as above. Throws Failure.
  explicit LoadOptions(const pybind11::dict& options);

  LoadOptions(const LoadOptions&) = delete;
  LoadOptions& operator=(const LoadOptions&) = delete;

  /// Null if there are no options.
  const LoadBackendOptionsMap* map() const { return map_.size() == 0 ? nullptr : &map_; }

 private:
  std::vector<std::vector<BackendOption>> options_;
  LoadBackendOptionsMap map_;
};

/// Calls `set_option` of a backend. Throws Failure.
void set_backend_options(const pybind11::str& backend, const pybind11::dict& options);

}  // namespace python
}  // namespace runtime
}  // namespace executorch
