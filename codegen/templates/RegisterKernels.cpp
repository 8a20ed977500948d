// ${generated_comment}
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/profiler.h>
#include "RegisterKernels.h"
#include "${fn_header}" // Generated Function import headers

using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Kernel;
using executorch::runtime::Span;

namespace torch {
namespace executor {

static Kernel kernels_to_register[] = {
    ${unboxed_kernels} // Generated kernels
};

Error register_all_kernels() {
  return executorch::runtime::register_kernels({kernels_to_register, sizeof(kernels_to_register) / sizeof(Kernel)});
}

}  // namespace executor
}  // namespace torch
