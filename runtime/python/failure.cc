#include <pybind11/pybind11.h>

#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/text.h>

namespace py = pybind11;

namespace executorch {
namespace runtime {
namespace python {
namespace {

/// Sets the Python exception for a failure.
void set_python_error(const Failure& failure) {
  py::list log;
  for (const std::string& line : failure.log()) {
    log.append(decode(line));
  }
  const auto code = static_cast<uint32_t>(failure.code());
  try {
    const py::object exception =
        py::module_::import("executorch.runtime.python.errors")
            .attr("make_error")(static_cast<int>(failure.kind()), code, to_string(failure.code()),
                                decode(failure.what()), log);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  } catch (py::error_already_set& error) {
    // Whatever keeps the error classes from loading is worth less to the caller than the failure
    // itself.
    error.discard_as_unraisable(__func__);
    PyErr_SetString(PyExc_RuntimeError, failure.what());
  }
}

}  // namespace

void register_failure_translator() {
  py::register_local_exception_translator([](std::exception_ptr pending) {
    try {
      if (pending) {
        std::rethrow_exception(pending);
      }
    } catch (const Failure& failure) {
      set_python_error(failure);
    }
  });
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
