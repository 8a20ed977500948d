#pragma once

#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

/// The submodule `llm_runner`, the runner of language models: what executorch.extension.llm.runner
/// hands on.
void define_llm_runner(const Object& module);

}  // namespace python
}  // namespace runtime
}  // namespace executorch
