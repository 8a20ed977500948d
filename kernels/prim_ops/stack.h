/**
 * @file
 * How the operators of this directory check what they are called with: it comes from a file.
 */
#pragma once

#include <executorch/kernels/prim_ops/scalar_ops.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/log.h>

namespace torch::executor::function {

/// Logs and fails the call. @returns false.
inline bool fail(Context& context, executorch::runtime::Error error, const char* what) {
  ET_LOG(Error, "Prim op: %s", what);
  context.fail(error);
  return false;
}

/// Fails the call because of an argument's type. @returns false.
inline bool fail_type(Context& context, const char* expected,
                      const executorch::runtime::EValue& actual) {
  ET_LOG(Error, "Prim op: expected %s, the first argument in question is a %s", expected,
         executorch::runtime::tag_name(actual.tag));
  context.fail(executorch::runtime::Error::InvalidType);
  return false;
}

/// Whether the call has `size` values. Fails it if not.
inline bool check_stack(Context& context, Stack stack, size_t size) {
  if (stack.size() != size) {
    ET_LOG(Error, "Prim op: expected %zu values, got %zu", size, stack.size());
    context.fail(executorch::runtime::Error::InvalidProgram);
    return false;
  }
  return true;
}

}  // namespace torch::executor::function
