/**
 * @file
 * Shifts of integers.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native::util {

/// Runs `Shift`, a functor with the number of bits of the dtype; fails for what is no integer.
template <typename Shift, typename B>
Tensor& shift(KernelRuntimeContext& ctx, const Tensor& a, const B& b, Tensor& out) {
  static constexpr Loops kLoops = {
      {nullptr, binary_loop<Shift, int64_t, int64_t>, nullptr, nullptr}};
  const ScalarType common = result_dtype(a, b);
  if (!require(ctx, is_integral_or_bool(common) && common != ScalarType::Bool,
               "shifts are defined for integers")) {
    return out;
  }
  const Shift op{static_cast<int64_t>(8 * executorch::runtime::elementSize(common))};
  return binary(ctx, a, b, common, out, kLoops, &op);
}

}  // namespace torch::executor::native::util
