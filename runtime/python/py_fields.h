#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <executorch/runtime/python/py_arguments.h>
#include <executorch/runtime/python/py_class.h>
#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

/// A public member of a struct that Python reads and writes.
template <typename T>
struct Field {
  const char* name;
  /// With the class, for messages.
  const char* title;
  Object (*get)(const T&);
  /// Throws PythonError, a TypeError that begins with the title it is given.
  void (*set)(T&, PyObject*, const std::string&);
};

template <typename T, auto kMember>
Object get_member(const T& self) {
  using Value = std::decay_t<decltype(self.*kMember)>;
  if constexpr (std::is_same_v<Value, std::string>) {
    return decode(self.*kMember);
  } else if constexpr (std::is_same_v<Value, bool>) {
    return to_python(self.*kMember);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return to_python(static_cast<double>(self.*kMember));
  } else if constexpr (std::is_signed_v<Value>) {
    return to_python(static_cast<int64_t>(self.*kMember));
  } else {
    return to_python(static_cast<size_t>(self.*kMember));
  }
}

template <typename T, auto kMember>
void set_member(T& self, PyObject* value, const std::string& title) {
  using Value = std::decay_t<decltype(self.*kMember)>;
  if constexpr (std::is_same_v<Value, std::string>) {
    self.*kMember = text_value(value, title);
  } else if constexpr (std::is_same_v<Value, bool>) {
    self.*kMember = boolean_argument(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    self.*kMember = static_cast<Value>(float_number(value, title));
  } else {
    self.*kMember = whole_number<Value>(value, title);
  }
}

template <typename T, auto kMember>
constexpr Field<T> field(const char* name, const char* title) {
  return {name, title, &get_member<T, kMember>, &set_member<T, kMember>};
}

template <typename T>
PyObject* get_field(PyObject* self, void* closure) {
  const auto& field = *static_cast<const Field<T>*>(closure);
  return guarded([&] { return field.get(Class<T>::of(self)); });
}

template <typename T>
int set_field(PyObject* self, PyObject* value, void* closure) {
  const auto& field = *static_cast<const Field<T>*>(closure);
  if (value == nullptr) {
    PyErr_Format(PyExc_AttributeError, "%s cannot be deleted", field.title);
    return -1;
  }
  const auto set = [&] {
    field.set(Class<T>::of(self), value, field.title);
    return none();
  };
  return Object::steal(guarded(set)) ? 0 : -1;
}

/// The attributes of a class, with the empty one that ends them. `fields` live forever.
template <typename T, size_t kCount>
std::array<PyGetSetDef, kCount + 1> attributes_of(Field<T> (&fields)[kCount]) {
  std::array<PyGetSetDef, kCount + 1> attributes = {};
  for (size_t i = 0; i < kCount; ++i) {
    attributes[i] = {fields[i].name, &get_field<T>, &set_field<T>, nullptr, &fields[i]};
  }
  return attributes;
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
