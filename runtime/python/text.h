#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tag.h>

namespace executorch {
namespace runtime {
namespace python {

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
