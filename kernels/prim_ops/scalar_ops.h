/**
 * @file
 * Operators on symbolic integers and scalars, which programs with dynamic shapes and control flow
 * need.
 *
 * All have the form of `OpFunction`: the arguments, then one slot for the result. They fail with
 * InvalidProgram for a wrong number of values, InvalidType for a wrong type, and InvalidArgument
 * for a value without result (division by zero, a double outside of the integers).
 *
 * Results of two integers are integers, which wrap; an integer and a double give a double. Division
 * and remainder round as Python's `//` and `%`.
 */
#pragma once

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>

namespace torch::executor::function {

using Stack = executorch::runtime::Span<executorch::runtime::EValue*>;
using Context = executorch::runtime::KernelRuntimeContext;

/// aten::sym_size.int(Tensor self, int dim) -> int
void sym_size(Context& context, Stack stack);
/// aten::sym_numel(Tensor self) -> int
void sym_numel(Context& context, Stack stack);
/// aten::_local_scalar_dense(Tensor self) -> Scalar. The only element of `self`.
void local_scalar_dense(Context& context, Stack stack);

/// executorch_prim::add.Scalar(Scalar, Scalar) -> Scalar, and so on.
void add(Context& context, Stack stack);
void sub(Context& context, Stack stack);
void mul(Context& context, Stack stack);
void floordiv(Context& context, Stack stack);
/// Always a double.
void truediv(Context& context, Stack stack);
/// Integers only, as the two below.
void mod(Context& context, Stack stack);
void sym_max(Context& context, Stack stack);
void sym_min(Context& context, Stack stack);

/// executorch_prim::eq.Scalar(Scalar, Scalar) -> bool, and so on.
void eq(Context& context, Stack stack);
void gt(Context& context, Stack stack);
void lt(Context& context, Stack stack);
void ge(Context& context, Stack stack);
void le(Context& context, Stack stack);

/// executorch_prim::neg.Scalar(Scalar) -> Scalar
void neg(Context& context, Stack stack);
/// Double to integer; halves go to the even neighbour in `round`.
void ceil(Context& context, Stack stack);
void round(Context& context, Stack stack);
void trunc(Context& context, Stack stack);
/// Any number to double.
void sym_float(Context& context, Stack stack);
/// Any number to integer, toward zero.
void sym_int(Context& context, Stack stack);
/// bool -> bool
void sym_not(Context& context, Stack stack);
/// executorch_prim::sym_ite.Scalar(bool b, Scalar t, Scalar f) -> Scalar
void sym_ite(Context& context, Stack stack);

}  // namespace torch::executor::function
