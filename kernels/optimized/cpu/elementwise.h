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
#include <executorch/kernels/portable/cpu/util/compute.h>

namespace torch::executor::native::optimized {

/**
 * out = f(in) for Float, Half and BFloat16 in one dtype and memory order.
 * @param parameters kUnaryParameters of them, or null for a function that has none.
 */
bool run_unary(KernelRuntimeContext& ctx, Unary function, const Tensor& in, Tensor& out,
               const float* parameters = nullptr);

/**
 * out = f(a, b) in the shape that the two broadcast to, for one dtype of Float, Half, BFloat16 and,
 * as far as there are loops, Int and Long.
 * @param alpha The factor of Binary::kAddScaled.
 */
bool run_binary(KernelRuntimeContext& ctx, Binary function, const Tensor& a, const Tensor& b,
                Tensor& out, float alpha = 0);

/// out = f(a, b) for a Float tensor and a number.
bool run_binary(KernelRuntimeContext& ctx, Binary function, const Tensor& a, const Scalar& b,
                Tensor& out, float alpha = 0);

/// out = in, converted, in one memory order.
bool run_convert(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out);

/// The entry of a dtype in the table of conversions; Element::kCount if there is none.
Element element_of(ScalarType dtype);

}  // namespace torch::executor::native::optimized
