#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <executorch/runtime/core/error.h>

namespace executorch {
namespace runtime {
namespace python {

/// Which Python class a failure becomes; see errors.py.
enum class FailureKind : int {
  kGeneric = 0,
  kFileNotFound = 1,
  kMethodNotFound = 2,
  kInputValue = 3,
  kInputType = 4,
  kOutOfRange = 5,
};

/// An Error on its way to Python: what was attempted, and what the runtime had to say about it.
class Failure : public std::exception {
 public:
  Failure(Error code, std::string what, std::vector<std::string> log = {},
          FailureKind kind = FailureKind::kGeneric)
      : code_(code), kind_(kind), what_(std::move(what)), log_(std::move(log)) {}

  const char* what() const noexcept override { return what_.c_str(); }
  Error code() const { return code_; }
  FailureKind kind() const { return kind_; }
  const std::vector<std::string>& log() const { return log_; }

 private:
  Error code_;
  FailureKind kind_;
  std::string what_;
  std::vector<std::string> log_;
};

/// Sets the Python exception for what C++ threw: a class of errors.py for a Failure. Needs the GIL.
void set_python_error(const std::exception_ptr& thrown);

}  // namespace python
}  // namespace runtime
}  // namespace executorch
