#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

Object decode(const char* text, size_t size) {
  return checked(PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(size), "replace"));
}

Object to_python(const std::vector<std::string>& texts) {
  Object list = checked(PyList_New(0));
  for (const std::string& text : texts) {
    append(list, decode(text));
  }
  return list;
}

std::string text_of(PyObject* object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) {
    throw PythonError();
  }
  return std::string(text, static_cast<size_t>(size));
}

std::string described(PyObject* object) { return text_of(checked(PyObject_Str(object)).get()); }

std::string type_name(PyObject* object) {
  const Object name = attribute_if_any(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__name__");
  return name && PyUnicode_Check(name.get()) ? text_of(name.get()) : "object";
}

Object attribute(PyObject* object, const char* name) {
  return checked(PyObject_GetAttrString(object, name));
}

Object attribute_if_any(PyObject* object, const char* name) {
  Object found = Object::steal(PyObject_GetAttrString(object, name));
  if (!found) {
    PyErr_Clear();
  }
  return found;
}

Object import_from(const char* module, const char* name) {
  return attribute(checked(PyImport_ImportModule(module)).get(), name);
}

Object call(const Object& function, std::initializer_list<Object> arguments) {
  const Object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
  Py_ssize_t place = 0;
  for (const Object& argument : arguments) {
    check(PyTuple_SetItem(tuple.get(), place++, Object(argument).release()));
  }
  return checked(PyObject_CallObject(function.get(), tuple.get()));
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
