/**
 * @file
 * The families of elementwise operators: validate, resize, loop. Each returns `out`.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/elementwise.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// What a family does with the functor it is given when the functor has no parameters.
inline constexpr char kNoParameters = 0;

/// An operator whose result has its input's dtype, and its output no other. Bool inputs are refused
/// unless `allow_bool`.
Tensor& unary_same(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out, const Loops& loops,
                   const void* op = &kNoParameters, bool allow_bool = false);

/// An operator whose result is floating: integers and Bool give Float.
Tensor& unary_float(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out, const Loops& loops,
                    const void* op = &kNoParameters);

/// An operator on floating inputs only; input and output have one dtype.
Tensor& unary_float_only(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out,
                         const Loops& loops, const void* op = &kNoParameters);

/// An operator that rounds: floating inputs go through the loop, integers are copied. Input and
/// output have one dtype.
Tensor& unary_rounding(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out,
                       const Loops& loops);

/// A test of each element; the result is Bool, stored as `out`'s dtype.
Tensor& unary_test(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out, const Loops& loops);

/// An operator on two tensors that are converted to `common` first; the result has that dtype.
Tensor& binary(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, ScalarType common,
               Tensor& out, const Loops& loops, const void* op = &kNoParameters);
Tensor& binary(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, ScalarType common,
               Tensor& out, const Loops& loops, const void* op = &kNoParameters);
Tensor& binary(KernelRuntimeContext& ctx, const Scalar& a, const Tensor& b, ScalarType common,
               Tensor& out, const Loops& loops, const void* op = &kNoParameters);

/**
 * As `binary`, for products and quotients: where `b` is a single element, it keeps the precision
 * that a half type has no room for, as in eager.
 */
Tensor& scaling(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, ScalarType common,
                Tensor& out, const Loops& loops, const void* op = &kNoParameters);
Tensor& scaling(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, ScalarType common,
                Tensor& out, const Loops& loops, const void* op = &kNoParameters);

/// A comparison in the common dtype; the result is Bool, stored as `out`'s dtype.
Tensor& compare(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out,
                const Loops& loops);
Tensor& compare(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out,
                const Loops& loops);

/// An operator on truth values; the result is Bool, stored as `out`'s dtype.
Tensor& logical(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out,
                const Loops& loops);

/// An operator on integers; Bool inputs are combined as truth values.
Tensor& bitwise(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out,
                const Loops& loops);
Tensor& bitwise(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out,
                const Loops& loops);

/// Copies `in`, broadcast to `out`'s shape and converted to its dtype.
void convert_copy(const Tensor& in, Tensor& out);

/// Writes `value` to every element of `out`.
void fill(const ScalarValue& value, Tensor& out);

}  // namespace torch::executor::native::util
