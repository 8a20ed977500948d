#pragma once

#include <memory>

#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/python/program.h>
#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

/// Adds the classes MethodMeta and TensorInfo to the module.
void define_metadata(const Object& module);

/// A MethodMeta of Python's; it points into the program, which it therefore keeps.
Object to_python(std::shared_ptr<ProgramState> program, const MethodMeta& meta);

}  // namespace python
}  // namespace runtime
}  // namespace executorch
