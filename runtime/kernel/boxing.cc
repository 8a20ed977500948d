#include <executorch/runtime/kernel/boxing.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {

void fail_boxed_arity(KernelRuntimeContext& context, size_t expected, size_t actual) {
  ET_LOG(Error,
         "Kernel is called with %zu values, expected %zu: its arguments and one for the result",
         actual, expected);
  context.fail(Error::InvalidProgram);
}

void fail_boxed_type(KernelRuntimeContext& context, size_t index, Tag actual, Error error) {
  ET_LOG(Error, "Argument %zu of a kernel has the wrong type or value; it is a %s", index,
         tag_name(actual));
  context.fail(error);
}

void fail_boxed_memory(KernelRuntimeContext& context, size_t index) {
  ET_LOG(Error,
         "Argument %zu of a kernel is a tensor without memory. If it is an output of the method, "
         "call set_output_data_ptr() first",
         index);
  context.fail(Error::InvalidState);
}

void fail_boxed_access(KernelRuntimeContext& context, size_t index) {
  ET_LOG(
      Error,
      "Argument %zu of a kernel is an output, but a tensor that must not be written: a constant, "
      "a view, or an input in memory smaller than its bound",
      index);
  context.fail(Error::InvalidProgram);
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
