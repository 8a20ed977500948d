/**
 * @file
 * Whole operators of one input from a pair of C functions.
 *
 *     DEFINE_UNARY_UFUNC_REALHBBF16_TO_FLOATHBF16(my_tanh_out, std::tanh)
 *
 * defines `Tensor& my_tanh_out(KernelRuntimeContext&, const Tensor& in, Tensor& out)`. The output
 * is resized to the input's shape and has the same dim order.
 */
#pragma once

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor::native::internal {

/// The float function for all but Double; results are floating, Half and BFloat16 rounded once.
Tensor& unary_ufunc_realhbbf16_to_floathbf16(float (*fn_float)(float), double (*fn_double)(double),
                                             KernelRuntimeContext& ctx, const Tensor& in,
                                             Tensor& out);

/// Results of the input's dtype, which is not Bool.
Tensor& unary_ufunc_realhbf16(float (*fn_float)(float), double (*fn_double)(double),
                              KernelRuntimeContext& ctx, const Tensor& in, Tensor& out);

/// Truth values.
Tensor& unary_ufunc_realhbbf16_to_bool(bool (*fn_float)(float), bool (*fn_double)(double),
                                       KernelRuntimeContext& ctx, const Tensor& in, Tensor& out);

}  // namespace torch::executor::native::internal

/// `fn` is a function of float and of double; a choice of overloads will do.
#define DEFINE_UNARY_UFUNC_REALHBBF16_TO_FLOATHBF16(op_name, fn)                                  \
  Tensor& op_name(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {                     \
    return ::torch::executor::native::internal::unary_ufunc_realhbbf16_to_floathbf16(             \
        static_cast<float (*)(float)>([](float x) -> float { return fn(x); }),                    \
        static_cast<double (*)(double)>([](double x) -> double { return fn(x); }), ctx, in, out); \
  }

#define DEFINE_UNARY_UFUNC_REALHBF16(op_name, fn)                                                 \
  Tensor& op_name(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {                     \
    return ::torch::executor::native::internal::unary_ufunc_realhbf16(                            \
        static_cast<float (*)(float)>([](float x) -> float { return fn(x); }),                    \
        static_cast<double (*)(double)>([](double x) -> double { return fn(x); }), ctx, in, out); \
  }

#define DEFINE_UNARY_UFUNC_REALHBBF16_TO_BOOL(op_name, fn)                                    \
  Tensor& op_name(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {                 \
    return ::torch::executor::native::internal::unary_ufunc_realhbbf16_to_bool(               \
        static_cast<bool (*)(float)>([](float x) -> bool { return fn(x); }),                  \
        static_cast<bool (*)(double)>([](double x) -> bool { return fn(x); }), ctx, in, out); \
  }
