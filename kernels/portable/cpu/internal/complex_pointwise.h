/**
 * @file
 * Elementwise operators on complex numbers, computed in double precision. Each returns `out`.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/complex.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

struct ComplexValue {
  double real;
  double imaginary;
};

/// `op` is what the caller passed along, such as a factor.
using ComplexUnary = ComplexValue (*)(const void* op, ComplexValue x);
using ComplexBinary = ComplexValue (*)(const void* op, ComplexValue a, ComplexValue b);

/// `fn` of every element of the complex `in`; only the real part of the result if `out` is real.
Tensor& complex_unary(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out, ComplexUnary fn,
                      const void* op = nullptr);

/// `fn` of every pair, broadcast; at least one side is complex, and so is `out`.
Tensor& complex_binary(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out,
                       ComplexBinary fn, const void* op = nullptr);
Tensor& complex_binary(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out,
                       ComplexBinary fn, const void* op = nullptr);

/// True if one of the two makes an operator's result complex.
inline bool any_complex(const Tensor& a, const Tensor& b) {
  return is_complex(a.scalar_type()) || is_complex(b.scalar_type());
}
inline bool any_complex(const Tensor& a, const Scalar&) { return is_complex(a.scalar_type()); }

}  // namespace torch::executor::native::util
