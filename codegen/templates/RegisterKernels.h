#pragma once
// ${generated_comment}

#include <executorch/runtime/core/error.h>

namespace torch {
namespace executor {

/// Registers the kernels; call it once, before the first program is loaded.
::executorch::runtime::Error register_all_kernels();

}  // namespace executor
}  // namespace torch
