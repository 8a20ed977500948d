#pragma once

#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

/// Adds the runner of text, images and audio to the submodule `llm_runner`.
void define_multimodal(const Object& module);

}  // namespace python
}  // namespace runtime
}  // namespace executorch
