#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <executorch/runtime/python/py_abi.h>

namespace executorch {
namespace runtime {
namespace python {

/// Thrown where a Python exception is set, which says what is wrong.
class PythonError : public std::exception {};

/// A reference to a Python object. Whoever makes, copies or drops one holds the GIL; see PyRef for
/// the others.
class Object {
 public:
  Object() = default;

  /// Takes over a reference.
  static Object steal(PyObject* object) { return Object(object); }

  /// Takes a reference of its own.
  static Object borrow(PyObject* object) {
    Py_XINCREF(object);
    return Object(object);
  }

  Object(const Object& other) : Object(borrow(other.object_)) {}
  Object(Object&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Object& operator=(Object other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Object() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit Object(PyObject* object) : object_(object) {}

  PyObject* object_ = nullptr;
};

/// What a function of Python's API returned as a new reference. Throws PythonError if that is none.
inline Object checked(PyObject* made) {
  if (made == nullptr) {
    throw PythonError();
  }
  return Object::steal(made);
}

/// For a function of Python's API that answers with a number. Throws PythonError if it is negative.
inline void check(int status) {
  if (status < 0) {
    throw PythonError();
  }
}

/// Lets other threads of Python run while this lives.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;
  ~GilRelease() { PyEval_RestoreThread(state_); }

 private:
  PyThreadState* state_;
};

/// Lets this thread use Python while this lives: the other way round, below a GilRelease.
class GilAcquire {
 public:
  GilAcquire() : state_(PyGILState_Ensure()) {}
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;
  ~GilAcquire() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

// --- into Python ---

inline Object none() { return Object::borrow(Py_None); }
inline Object to_python(bool value) { return Object::borrow(value ? Py_True : Py_False); }
inline Object to_python(int value) { return checked(PyLong_FromLong(value)); }
inline Object to_python(int64_t value) { return checked(PyLong_FromLongLong(value)); }
inline Object to_python(size_t value) { return checked(PyLong_FromSize_t(value)); }
inline Object to_python(double value) { return checked(PyFloat_FromDouble(value)); }

/// Text as a Python string. Bytes that are not UTF-8 become replacement characters: a damaged name
/// must not turn one error into another.
Object decode(const char* text, size_t size);
inline Object decode(const std::string& text) { return decode(text.data(), text.size()); }

/// A list of texts.
Object to_python(const std::vector<std::string>& texts);

/// A tuple of numbers.
template <typename Numbers>
Object to_tuple(const Numbers& numbers) {
  Object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
  for (size_t i = 0; i < numbers.size(); ++i) {
    // Takes the reference over, whether it succeeds or not.
    check(PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i),
                          to_python(static_cast<int64_t>(numbers[i])).release()));
  }
  return tuple;
}

inline void append(const Object& list, const Object& item) {
  check(PyList_Append(list.get(), item.get()));
}

// --- out of Python ---

/// The text of a str. Throws PythonError.
std::string text_of(PyObject* object);

/// What str() makes of an object. Throws PythonError.
std::string described(PyObject* object);

/// The name of an object's class.
std::string type_name(PyObject* object);

// --- calls ---

Object attribute(PyObject* object, const char* name);

/// Nothing if there is no such attribute.
Object attribute_if_any(PyObject* object, const char* name);

Object import_from(const char* module, const char* name);

Object call(const Object& function, std::initializer_list<Object> arguments);

}  // namespace python
}  // namespace runtime
}  // namespace executorch
