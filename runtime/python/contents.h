#pragma once

#include <string>

#include <executorch/runtime/core/data_loader.h>

namespace executorch {
namespace runtime {
namespace python {

/// What bytes that are no program look like, and what to do about it; empty if nothing known.
std::string guess_contents(const DataLoader& loader);

}  // namespace python
}  // namespace runtime
}  // namespace executorch
