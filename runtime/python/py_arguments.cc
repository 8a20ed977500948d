#include <executorch/runtime/python/py_arguments.h>

namespace executorch {
namespace runtime {
namespace python {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  PyErr_SetString(PyExc_TypeError, text.c_str());
  throw PythonError();
}

/// The number of the parameter that a keyword names.
size_t find(PyObject* keyword, const char* function, const char* const* names, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (PyUnicode_CompareWithASCIIString(keyword, names[i]) == 0) {
      return i;
    }
  }
  refuse(std::string(function) + "() has no argument '" + text_of(keyword) + "'");
}

}  // namespace

UnpackedCall::UnpackedCall(PyObject* values, PyObject* keywords)
    : positional_(PyTuple_Size(values)) {
  for (Py_ssize_t i = 0; i < positional_; ++i) {
    values_.push_back(Object::borrow(PyTuple_GetItem(values, i)));
  }
  if (keywords != nullptr) {
    const Object list = checked(PyList_New(0));
    Py_ssize_t place = 0;
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(keywords, &place, &name, &value) != 0) {
      append(list, Object::borrow(name));
      values_.push_back(Object::borrow(value));
    }
    names_ = checked(PyList_AsTuple(list.get()));
  }
  for (const Object& value : values_) {
    places_.push_back(value.get());
  }
}

std::string argument_title(const char* function, const char* name) {
  return std::string(function) + "(): argument '" + name + "'";
}

void place_arguments(const Call& call, const char* function, const char* const* names, size_t count,
                     size_t positional, size_t required, PyObject** placed) {
  const auto given = static_cast<size_t>(call.positional);
  if (given > positional) {
    refuse(std::string(function) + "() takes " + std::to_string(positional) + " argument(s)" +
           (positional < count ? " without their names, " : ", ") + std::to_string(given) +
           " were given");
  }
  for (size_t i = 0; i < given; ++i) {
    placed[i] = call.values[i];
  }
  const Py_ssize_t keywords = call.names == nullptr ? 0 : PyTuple_Size(call.names);
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    const size_t index = find(PyTuple_GetItem(call.names, i), function, names, count);
    if (placed[index] != nullptr) {
      refuse(argument_title(function, names[index]) + " is given twice");
    }
    placed[index] = call.values[call.positional + i];
  }
  for (size_t i = 0; i < required; ++i) {
    if (placed[i] == nullptr) {
      refuse(argument_title(function, names[i]) + " is missing");
    }
  }
}

std::string text_value(PyObject* object, const std::string& title) {
  if (!PyUnicode_Check(object)) {
    refuse(title + " is a str, not a " + type_name(object));
  }
  return text_of(object);
}

std::string text_argument(PyObject* object, const char* function, const char* name) {
  return text_value(object, argument_title(function, name));
}

int64_t whole_number(PyObject* object, int64_t least, int64_t most, const std::string& title) {
  const Object number = Object::steal(PyNumber_Index(object));
  const int64_t value = number ? PyLong_AsLongLong(number.get()) : 0;
  if (PyErr_Occurred() != nullptr || value < least || value > most) {
    PyErr_Clear();
    refuse(title + " is a whole number from " + std::to_string(least) + " to " +
           std::to_string(most) + ", not " +
           (number ? described(number.get()) : "a " + type_name(object)));
  }
  return value;
}

size_t size_number(PyObject* object, const std::string& title) {
  const Object number = Object::steal(PyNumber_Index(object));
  const size_t value = number ? PyLong_AsSize_t(number.get()) : 0;
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(title + " is a whole number from 0 on, not " +
           (number ? described(number.get()) : "a " + type_name(object)));
  }
  return value;
}

double float_number(PyObject* object, const std::string& title) {
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
      PyErr_Clear();
      refuse(title + " is a number, not a " + type_name(object));
    }
    throw PythonError();
  }
  return value;
}

bool boolean_argument(PyObject* object) {
  const int value = PyObject_IsTrue(object);
  check(value);
  return value != 0;
}

void require_instance(PyObject* object, PyTypeObject* type, const char* type_name,
                      const char* function, const char* name) {
  if (!PyObject_TypeCheck(object, type)) {
    refuse(argument_title(function, name) + " is a " + type_name + ", not a " +
           python::type_name(object));
  }
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
