// ${generated_comment}
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/profiler.h>
#include "${fn_header}" // Generated Function import headers

using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Kernel;
using executorch::runtime::Span;

namespace torch {
namespace executor {
namespace {

static Kernel kernels_to_register[] = {
    ${unboxed_kernels} // Generated kernels
};

Error register_${filename}() {
  return executorch::runtime::register_kernels({kernels_to_register, sizeof(kernels_to_register) / sizeof(Kernel)});
}

// The registry has said which kernel it refused.
[[maybe_unused]] const Error registered = [] {
  const Error error = register_${filename}();
  ET_CHECK_MSG(error == Error::Ok, "kernels could not be registered");
  return error;
}();

}  // namespace
}  // namespace executor
}  // namespace torch
