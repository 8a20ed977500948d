#pragma once

#include <utility>

#include <Python.h>

namespace executorch {
namespace runtime {
namespace python {

/// Whether the interpreter is going down, so that its objects must be left alone.
inline bool interpreter_is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

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
