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

/// Reads `scalar` into the variable `out_val`; aborts if its value does not fit the type of
/// `out_val`. A kernel that can be given any value uses `extract_scalar` in `ET_KERNEL_CHECK`.
#ifndef ET_EXTRACT_SCALAR
#define ET_EXTRACT_SCALAR(scalar, out_val)                                \
  ET_CHECK_MSG(::executorch::runtime::extract_scalar(scalar, &(out_val)), \
               #scalar " has another type, or a value that does not fit " #out_val)
#endif
