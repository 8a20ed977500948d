#pragma once
// ${generated_comment}

#include <executorch/runtime/platform/assert.h>

${static_dispatch_extra_headers}

#ifndef TORCH_API
#define TORCH_API
#endif

namespace torch {
namespace executor {
${Functions_declarations}
}  // namespace executor
}  // namespace torch
