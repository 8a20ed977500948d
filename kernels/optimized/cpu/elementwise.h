/**
 * @file
 * Elementwise operators by this library's loops, where dtypes and layouts allow it.
 *
 * Each function returns false if the operands are not ones that it is for; then nothing was written
 * and the portable kernel is to be called. Otherwise the work is done, or has failed through the
 * context as the portable kernel would have.
 */
#pragma once

#include <executorch/kernels/optimized/cpu/elementwise_loops.h>
#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native::optimized {

/**
 * out = f(in) for Float, Half and BFloat16 in one dtype and memory order.
 * @param parameters kUnaryParameters of them, or null for a function that has none.
 */
bool run_unary(KernelRuntimeContext& ctx, Unary function, const Tensor& in, Tensor& out,
               const float* parameters = nullptr);

/**
 * out = f(a, b) in the shape that the two broadcast to, for one dtype of Float, Half, BFloat16 and,
 * as far as there are loops, Byte, Char, Int and Long.
 * @param alpha The factor of Binary::kAddScaled.
 */
bool run_binary(KernelRuntimeContext& ctx, Binary function, const Tensor& a, const Tensor& b,
                Tensor& out, float alpha = 0);

/// out = f(a, b) for a tensor of such a dtype and a number that does not change it.
bool run_binary(KernelRuntimeContext& ctx, Binary function, const Tensor& a, const Scalar& b,
                Tensor& out, float alpha = 0);

/// out = f(a, b) for a number and a Float tensor.
bool run_binary(KernelRuntimeContext& ctx, Binary function, const Scalar& a, const Tensor& b,
                Tensor& out);

/// out = f(in) for integers and half types, in one dtype and memory order.
bool run_sign(KernelRuntimeContext& ctx, Sign function, const Tensor& in, Tensor& out);

/// out = min(max(in, low), high) for integers of one dtype that has both bounds.
bool run_clamp(KernelRuntimeContext& ctx, const Tensor& in, int64_t low, int64_t high, Tensor& out);

/// out = in, converted, in one memory order.
bool run_convert(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out);

/// The entry of a dtype in the table of conversions; Element::kCount if there is none.
Element element_of(ScalarType dtype);

/// Writes `value` as an element of an integer or floating dtype to `to`. @returns false for
/// integers that it has no room for.
bool write_number(const Scalar& value, ScalarType dtype, char* to);

}  // namespace torch::executor::native::optimized
