/**
 * @file
 * Operators that divide integers: what Bool and a divisor of 0 do, once for all of them.
 */
#pragma once

#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native::util {

/// `division` of two numbers. Integers divided by zero give 0 and are reported through `by_zero`.
template <typename Division>
struct ReportingZero {
  bool* by_zero;
  Division division;

  template <typename C>
  C operator()(C a, C b) const {
    if constexpr (std::is_integral_v<C>) {
      if (b == 0) {
        *by_zero = true;
        return 0;
      }
    }
    return division(a, b);
  }
};

/// A family of `pointwise.h` that takes a common dtype: `binary` or `scaling`.
template <typename B>
using Family = Tensor& (*)(KernelRuntimeContext& ctx, const Tensor& a, const B& b,
                           ScalarType common, Tensor& out, const Loops& loops, const void* op);

/// Runs `division` by way of `family`; fails for Bool, with `no_bool`, and for integers divided by
/// zero.
template <typename Division, typename B>
Tensor& divide_integers(KernelRuntimeContext& ctx, const Tensor& a, const B& b, Tensor& out,
                        const char* no_bool, Family<B> family, const Division& division = {}) {
  const ScalarType common = result_dtype(a, b);
  if (!require(ctx, common != ScalarType::Bool, no_bool)) {
    return out;
  }
  bool by_zero = false;
  const ReportingZero<Division> op{&by_zero, division};
  family(ctx, a, b, common, out, kBinaryArithmetic<ReportingZero<Division>>, &op);
  require(ctx, !by_zero, "integer division by zero");
  return out;
}

}  // namespace torch::executor::native::util
