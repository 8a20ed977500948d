#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <pybind11/pybind11.h>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tag.h>

namespace executorch {
namespace runtime {
namespace python {

/// Text out of a file or the log as a Python string. Bytes that are not UTF-8 become replacement
/// characters: a damaged name must not turn one error into another.
inline pybind11::str decode(const char* text, size_t size) {
  PyObject* decoded = PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(size), "replace");
  if (decoded == nullptr) {
    throw pybind11::error_already_set();
  }
  return pybind11::reinterpret_steal<pybind11::str>(decoded);
}

inline pybind11::str decode(const std::string& text) { return decode(text.data(), text.size()); }

/// The name of a dtype as torch and NumPy spell it.
const char* dtype_name(executorch::aten::ScalarType type);

/// The name of a kind of value as a Python user would call it.
const char* value_kind(Tag tag);

/// `[1, 2, 3]`.
std::string shape_text(const int64_t* sizes, size_t rank);
std::string shape_text(Span<const int32_t> sizes);

}  // namespace python
}  // namespace runtime
}  // namespace executorch
