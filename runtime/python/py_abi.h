#pragma once

/// CPython's C API, as far as it is stable: an extension module that keeps to it serves every
/// CPython from 3.10 on. All files here include this one and never Python.h.

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030A0000
#endif

#include <Python.h>

#if Py_LIMITED_API + 0 < 0x030B0000

/// Buffers are part of the stable API from 3.11 on. What became stable there is what 3.10 has, so
/// that it may be declared for that one as well.
extern "C" {

struct Py_buffer {
  void* buf;
  PyObject* obj;
  Py_ssize_t len;
  Py_ssize_t itemsize;
  int readonly;
  int ndim;
  char* format;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  Py_ssize_t* suboffsets;
  void* internal;
};

int PyObject_CheckBuffer(PyObject* object);
int PyObject_GetBuffer(PyObject* object, Py_buffer* view, int flags);
void PyBuffer_Release(Py_buffer* view);

}  // extern "C"

constexpr int PyBUF_SIMPLE = 0;
/// Shape, strides and format of memory that may be read-only.
constexpr int PyBUF_RECORDS_RO = 0x0010 | 0x0008 | 0x0004;

#endif

extern "C" {

// From 3.13 on, and before.
__attribute__((weak)) int Py_IsFinalizing(void);
__attribute__((weak)) int _Py_IsFinalizing(void);

}  // extern "C"

namespace executorch {
namespace runtime {
namespace python {

/// Whether the interpreter is going down, so that its objects must be left alone.
inline bool interpreter_is_finalizing() {
  if (Py_IsFinalizing != nullptr) {
    return Py_IsFinalizing() != 0;
  }
  return _Py_IsFinalizing != nullptr && _Py_IsFinalizing() != 0;
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
