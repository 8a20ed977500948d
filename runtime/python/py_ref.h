#pragma once

#include <utility>

#include <executorch/runtime/python/py_abi.h>

namespace executorch {
namespace runtime {
namespace python {

/// A reference to a Python object that may be dropped on any thread, with or without the GIL: the
/// state of a method can outlive the call that made it, and be released by a thread that Python
/// does not know.
class PyRef {
 public:
  PyRef() = default;

  /// Takes a reference of its own. The caller holds the GIL.
  static PyRef borrow(PyObject* object) {
    Py_XINCREF(object);
    return PyRef(object);
  }

  PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyRef& operator=(PyRef&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  PyRef(const PyRef&) = delete;
  PyRef& operator=(const PyRef&) = delete;

  ~PyRef() {
    if (object_ == nullptr || interpreter_is_finalizing()) {
      return;
    }
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(object_);
    PyGILState_Release(state);
  }

  PyObject* get() const { return object_; }

 private:
  explicit PyRef(PyObject* object) : object_(object) {}

  PyObject* object_ = nullptr;
};

}  // namespace python
}  // namespace runtime
}  // namespace executorch
