#pragma once

#include <pybind11/pybind11.h>

namespace executorch {
namespace runtime {
namespace python {

/// The runner of language models: what executorch.extension.llm.runner hands on.
void bind_llm_runner(pybind11::module_ module);

}  // namespace python
}  // namespace runtime
}  // namespace executorch
