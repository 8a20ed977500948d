#include <new>

#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {
namespace {

void set_failure(const Failure& failure) {
  try {
    const Object log = to_python(failure.log());
    const auto code = static_cast<uint32_t>(failure.code());
    const Object exception =
        call(import_from("executorch.runtime.python.errors", "make_error"),
             {to_python(static_cast<int>(failure.kind())), to_python(int64_t{code}),
              decode(to_string(failure.code())), decode(failure.what()), log});
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  } catch (const PythonError&) {
    // Whatever keeps the error classes from loading is worth less to the caller than the failure
    // itself.
    PyErr_WriteUnraisable(nullptr);
    PyErr_SetString(PyExc_RuntimeError, failure.what());
  }
}

}  // namespace

void set_python_error(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const PythonError&) {
    // Is set already.
  } catch (const Failure& failure) {
    set_failure(failure);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& other) {
    PyErr_SetString(PyExc_RuntimeError, other.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "executorch.runtime: an exception of an unknown kind");
  }
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
