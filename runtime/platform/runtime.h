/// @file
/// Global initialization of the runtime.
#pragma once

#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Prepares the platform layer. Call once, before anything else of the runtime; further calls are
/// harmless.
void runtime_init();

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::runtime_init;
}  // namespace executor
}  // namespace torch
