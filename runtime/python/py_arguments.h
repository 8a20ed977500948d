#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

/// What Python hands to a function: values by position, then those of the keywords in `names` (a
/// tuple or null).
struct Call {
  PyObject* const* values;
  Py_ssize_t positional;
  PyObject* names;
};

/// The same for a function that gets a tuple and a dict, or null instead of that. It keeps what
/// they hold.
class UnpackedCall {
 public:
  UnpackedCall(PyObject* values, PyObject* keywords);

  Call call() const { return {places_.data(), positional_, names_.get()}; }

 private:
  Object names_;
  Py_ssize_t positional_;
  std::vector<Object> values_;
  std::vector<PyObject*> places_;
};

/// The parameters of a function.
template <size_t kCount>
struct Parameters {
  const char* function;
  size_t required;
  std::array<const char*, kCount> names;
  /// How many may be given by position; the others are given by keyword.
  size_t positional = kCount;
};

/// Sets `placed`, one for each of `count` names, to borrowed references, null for what is left out.
/// Throws PythonError: a TypeError for what is missing, unknown, given twice or too much.
void place_arguments(const Call& call, const char* function, const char* const* names, size_t count,
                     size_t positional, size_t required, PyObject** placed);

/// The arguments of one call, by the number of their parameter.
template <size_t kCount>
class Arguments {
 public:
  Arguments(const Call& call, const Parameters<kCount>& parameters) : parameters_(parameters) {
    place_arguments(call, parameters.function, parameters.names.data(), kCount,
                    parameters.positional, parameters.required, placed_.data());
  }

  /// Null if it was left out.
  PyObject* object(size_t index) const { return placed_[index]; }

  // Each throws PythonError, a TypeError, if the argument is something else.
  std::string text(size_t index) const;
  bool boolean(size_t index, bool otherwise) const;
  double number(size_t index, double otherwise) const;
  size_t size(size_t index, size_t otherwise = 0) const;
  /// Of a parameter that is required.
  template <typename Integer>
  Integer whole(size_t index) const;
  /// An object of a class or of one that inherits from it.
  PyObject* instance(size_t index, PyTypeObject* type, const char* type_name) const;

 private:
  const Parameters<kCount>& parameters_;
  std::array<PyObject*, kCount> placed_ = {};
};

/// `f(): argument 'x'`.
std::string argument_title(const char* function, const char* name);

// Numbers of a type. Each throws PythonError, a TypeError that begins with `title`.
int64_t whole_number(PyObject* object, int64_t least, int64_t most, const std::string& title);
size_t size_number(PyObject* object, const std::string& title);
double float_number(PyObject* object, const std::string& title);

template <typename Integer>
Integer whole_number(PyObject* object, const std::string& title) {
  using Limits = std::numeric_limits<Integer>;
  if constexpr (std::is_signed_v<Integer>) {
    return static_cast<Integer>(whole_number(object, Limits::min(), Limits::max(), title));
  } else {
    static_assert(sizeof(Integer) == sizeof(size_t), "has no limits of its own");
    return size_number(object, title);
  }
}

// What Arguments stands on; `name` is the parameter's.
std::string text_value(PyObject* object, const std::string& title);
std::string text_argument(PyObject* object, const char* function, const char* name);
bool boolean_argument(PyObject* object);
void require_instance(PyObject* object, PyTypeObject* type, const char* type_name,
                      const char* function, const char* name);

template <size_t kCount>
std::string Arguments<kCount>::text(size_t index) const {
  return text_argument(placed_[index], parameters_.function, parameters_.names[index]);
}

template <size_t kCount>
bool Arguments<kCount>::boolean(size_t index, bool otherwise) const {
  return placed_[index] == nullptr ? otherwise : boolean_argument(placed_[index]);
}

template <size_t kCount>
double Arguments<kCount>::number(size_t index, double otherwise) const {
  return placed_[index] == nullptr
             ? otherwise
             : float_number(placed_[index],
                            argument_title(parameters_.function, parameters_.names[index]));
}

template <size_t kCount>
size_t Arguments<kCount>::size(size_t index, size_t otherwise) const {
  return placed_[index] == nullptr
             ? otherwise
             : size_number(placed_[index],
                           argument_title(parameters_.function, parameters_.names[index]));
}

template <size_t kCount>
template <typename Integer>
Integer Arguments<kCount>::whole(size_t index) const {
  return whole_number<Integer>(placed_[index],
                               argument_title(parameters_.function, parameters_.names[index]));
}

template <size_t kCount>
PyObject* Arguments<kCount>::instance(size_t index, PyTypeObject* type,
                                      const char* type_name) const {
  require_instance(placed_[index], type, type_name, parameters_.function, parameters_.names[index]);
  return placed_[index];
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
