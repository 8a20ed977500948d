#pragma once

#include <string>
#include <vector>

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

/// Options of a backend out of a dictionary of Python's, from texts to bool, int or str. Throws
/// Failure, which names the option that does not fit.
std::vector<BackendOption> backend_options_of(const std::string& backend, PyObject* options);

/// Options for the backends of one `load_method`, with the memory that they refer to.
class LoadOptions {
 public:
  /// @param options A dictionary from names of backends to dictionaries as above. Throws Failure.
  explicit LoadOptions(PyObject* options);

  LoadOptions(const LoadOptions&) = delete;
  LoadOptions& operator=(const LoadOptions&) = delete;

  /// Null if there are no options.
  const LoadBackendOptionsMap* map() const { return map_.size() == 0 ? nullptr : &map_; }

 private:
  std::vector<std::vector<BackendOption>> options_;
  LoadBackendOptionsMap map_;
};

/// Calls `set_option` of a backend. Throws Failure.
void set_backend_options(const std::string& backend, PyObject* options);

}  // namespace python
}  // namespace runtime
}  // namespace executorch
