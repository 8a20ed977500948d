/// @file
/// What the source file of a kernel needs: the tensor types under the names that kernels use, the
/// context, and macros to fail with.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/scalar_extraction.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/log.h>

/// Defines the constant `variable` that holds the name of an operator, for the NAME of
/// ET_SWITCH_...: `ET_DEFINE_OPERATOR_NAME(op_name, "add.out");`. Its type as a parameter of a
/// template is ET_OPERATOR_NAME_TYPE.
#define ET_OPERATOR_NAME_TYPE const char*
#define ET_DEFINE_OPERATOR_NAME(variable, name) static constexpr const char variable[] = name

/// Unless `cond` holds: logs it, fails the kernel with `Error::error` and returns `retval`.
/// For kernels without a return value leave `retval` empty.
#define ET_KERNEL_CHECK(context, cond, error, retval)      \
  do {                                                     \
    if (ET_UNLIKELY(!(cond))) {                            \
      ET_LOG(Error, "Check failed: %s", #cond);            \
      (context).fail(::executorch::runtime::Error::error); \
      return retval;                                       \
    }                                                      \
  } while (0)

/// As `ET_KERNEL_CHECK`, with a message for the log that says what was expected and what came.
#define ET_KERNEL_CHECK_MSG(context, cond, error, retval, message, ...)  \
  do {                                                                   \
    if (ET_UNLIKELY(!(cond))) {                                          \
      ET_LOG(Error, "Check failed: %s; " message, #cond, ##__VA_ARGS__); \
      (context).fail(::executorch::runtime::Error::error);               \
      return retval;                                                     \
    }                                                                    \
  } while (0)

/// Reads `scalar` into the variable `out_val`; aborts if its value does not fit the type of
/// `out_val`. A kernel that can be given any value uses `extract_scalar` in `ET_KERNEL_CHECK`.
#ifndef ET_EXTRACT_SCALAR
#define ET_EXTRACT_SCALAR(scalar, out_val)                                \
  ET_CHECK_MSG(::executorch::runtime::extract_scalar(scalar, &(out_val)), \
               #scalar " has another type, or a value that does not fit " #out_val)
#endif

/// Reads the only element of `tensor` into the variable `out_val`; aborts if the tensor has another
/// number of elements, or its element does not fit.
#ifndef ET_EXTRACT_SCALAR_TENSOR
#define ET_EXTRACT_SCALAR_TENSOR(tensor, out_val)                                \
  ET_CHECK_MSG(::executorch::runtime::extract_scalar_tensor(tensor, &(out_val)), \
               #tensor " has not one element, or one that does not fit " #out_val)
#endif
