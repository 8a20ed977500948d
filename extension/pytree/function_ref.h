/// @file
/// The borrowed callable of the runtime's core under the name that this room is asked for.
#pragma once

#include <executorch/runtime/core/function_ref.h>

namespace executorch {
namespace extension {
namespace pytree {
using ::executorch::runtime::FunctionRef;
}  // namespace pytree
}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace pytree {
using ::executorch::extension::pytree::FunctionRef;
}  // namespace pytree
}  // namespace executor
}  // namespace torch
