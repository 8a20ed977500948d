#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/py_arguments.h>
#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

/// What Python calls: turns what C++ throws into a Python exception.
template <typename Function>
PyObject* guarded(Function&& function) {
  try {
    return function().release();
  } catch (...) {
    set_python_error(std::current_exception());
    return nullptr;
  }
}

/// What a class has besides methods. It all lives forever.
struct ClassParts {
  reprfunc repr = nullptr;
  /// What can be read and written; see py_fields.h.
  PyGetSetDef* attributes = nullptr;
  /// `__init__`; with it, Python makes objects too and derives classes. See initialized().
  initproc init = nullptr;
  /// The class that it inherits from, whose values begin like those of this one.
  PyTypeObject* base = nullptr;
  /// Whether other classes inherit from it.
  bool is_base = false;
};

/// A Python class whose objects hold a value of C++. Only C++ makes them, unless the class has an
/// `__init__`: a value is its type's default until that has run.
template <typename T>
class Class {
 public:
  /// Makes the class and adds it to a module, which may happen once.
  ///
  /// @param qualified_name Dotted, with the module; lives forever, like `methods`.
  static void define(const Object& module, const char* qualified_name, PyMethodDef* methods,
                     const ClassParts& parts = {}) {
    std::vector<PyType_Slot> slots = {
        {Py_tp_dealloc, reinterpret_cast<void*>(&dealloc)},
        {Py_tp_methods, methods},
    };
    unsigned int made_by =
        Py_TPFLAGS_DISALLOW_INSTANTIATION | (parts.is_base ? Py_TPFLAGS_BASETYPE : 0);
    if (parts.repr != nullptr) {
      slots.push_back({Py_tp_repr, reinterpret_cast<void*>(parts.repr)});
    }
    if (parts.attributes != nullptr) {
      slots.push_back({Py_tp_getset, parts.attributes});
    }
    if constexpr (std::is_default_constructible_v<T>) {
      if (parts.init != nullptr) {
        made_by = Py_TPFLAGS_BASETYPE;
        slots.push_back({Py_tp_new, reinterpret_cast<void*>(&make_default)});
        slots.push_back({Py_tp_init, reinterpret_cast<void*>(parts.init)});
      }
    }
    slots.push_back({0, nullptr});
    PyType_Spec spec = {qualified_name, sizeof(Instance), 0,
                        static_cast<unsigned int>(Py_TPFLAGS_DEFAULT) | made_by, slots.data()};
    const Object bases = parts.base == nullptr
                             ? Object()
                             : checked(PyTuple_Pack(1, reinterpret_cast<PyObject*>(parts.base)));
    Object type = checked(PyType_FromSpecWithBases(&spec, bases.get()));
    const std::string name(qualified_name);
    check(
        PyObject_SetAttrString(module.get(), name.substr(name.rfind('.') + 1).c_str(), type.get()));
    type_ = reinterpret_cast<PyTypeObject*>(type.release());
  }

  /// The class; null before define().
  static PyTypeObject* type() { return type_; }

  /// An object that holds `value`.
  static Object make(T value) {
    Object made = checked(PyType_GenericAlloc(type_, 0));
    new (&of(made.get())) T(std::move(value));
    return made;
  }

  /// The value of an object of this class.
  static T& of(PyObject* object) { return reinterpret_cast<Instance*>(object)->value; }

 private:
  struct Instance {
    PyObject head;
    T value;
  };
  static_assert(alignof(Instance) <= alignof(std::max_align_t), "Python's allocator gives no more");

  static PyObject* make_default(PyTypeObject* type, PyObject* /*values*/, PyObject* /*keywords*/) {
    return guarded([type] {
      Object made = checked(PyType_GenericAlloc(type, 0));
      new (&of(made.get())) T();
      return made;
    });
  }

  static void dealloc(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    of(self).~T();
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
  }

  static inline PyTypeObject* type_ = nullptr;
};

// --- entries of a PyMethodDef ---

template <typename T, Object (*kFunction)(T&)>
PyObject* call_getter(PyObject* self, PyObject* /*unused*/) {
  return guarded([&] { return kFunction(Class<T>::of(self)); });
}

template <typename T, Object (*kFunction)(T&, const Call&)>
PyObject* call_method(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
  return guarded([&] { return kFunction(Class<T>::of(self), {values, count, names}); });
}

template <Object (*kFunction)(const Call&)>
PyObject* call_function(PyObject* /*module*/, PyObject* const* values, Py_ssize_t count,
                        PyObject* names) {
  return guarded([&] { return kFunction({values, count, names}); });
}

template <Object (*kFunction)()>
PyObject* call_plain(PyObject* /*module*/, PyObject* /*unused*/) {
  return guarded(kFunction);
}

/// The `__init__` of a class.
template <typename T, void (*kFunction)(T&, const Call&)>
int initialized(PyObject* self, PyObject* values, PyObject* keywords) {
  const auto initialize = [&] {
    const UnpackedCall unpacked(values, keywords);
    kFunction(Class<T>::of(self), unpacked.call());
    return none();
  };
  return Object::steal(guarded(initialize)) ? 0 : -1;
}

/// A function of the module without arguments.
template <Object (*kFunction)()>
constexpr PyMethodDef plain_function(const char* name) {
  return {name, &call_plain<kFunction>, METH_NOARGS, nullptr};
}

/// A method without arguments.
template <typename T, Object (*kFunction)(T&)>
constexpr PyMethodDef getter(const char* name) {
  return {name, &call_getter<T, kFunction>, METH_NOARGS, nullptr};
}

using FastCall = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

inline PyMethodDef fast(const char* name, FastCall function) {
  // The flags tell Python which function it really is.
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
          METH_FASTCALL | METH_KEYWORDS, nullptr};
}

/// A method with arguments.
template <typename T, Object (*kFunction)(T&, const Call&)>
PyMethodDef method(const char* name) {
  return fast(name, &call_method<T, kFunction>);
}

/// A function of the module.
template <Object (*kFunction)(const Call&)>
PyMethodDef function(const char* name) {
  return fast(name, &call_function<kFunction>);
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
