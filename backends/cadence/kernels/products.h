/**
 * @file
 * Sums of products of integers, exact.
 */
#pragma once

#include <type_traits>

#include <executorch/backends/cadence/kernels/common.h>

namespace impl::generic::native {

/// Weights have the type of the activations, or 8 bits where those have 16.
template <typename T>
using weight_of = std::conditional_t<std::is_same_v<T, int16_t>, int8_t, T>;

inline ScalarType weight_type(ScalarType activations) {
  return activations == ScalarType::Short ? ScalarType::Char : activations;
}

/// What is taken off both factors of all products.
struct ZeroPoints {
  int32_t x;
  int32_t weight;
};

template <typename Sum, typename T, typename W>
Sum sum_products(ZeroPoints zero, const T* x, ptrdiff_t x_stride, const W* weight,
                 ptrdiff_t weight_stride, size_t n) {
  Sum sum = 0;
  if (x_stride == 1 && weight_stride == 1) {
    for (size_t i = 0; i < n; ++i) {
      sum += static_cast<Sum>(x[i] - zero.x) * (weight[i] - zero.weight);
    }
    return sum;
  }
  for (size_t i = 0; i < n; ++i, x += x_stride, weight += weight_stride) {
    sum += static_cast<Sum>(*x - zero.x) * (*weight - zero.weight);
  }
  return sum;
}

/// The strides are in elements.
template <typename T, typename W>
int64_t sum_of_products(ZeroPoints zero, const T* x, ptrdiff_t x_stride, const W* weight,
                        ptrdiff_t weight_stride, size_t n) {
  // Bytes differ by at most 255 from their zero points, and 32 bits hold so many products.
  constexpr size_t kMost = 32768;
  if (sizeof(T) == 1 && sizeof(W) == 1 && n <= kMost) {
    return sum_products<int32_t>(zero, x, x_stride, weight, weight_stride, n);
  }
  return sum_products<int64_t>(zero, x, x_stride, weight, weight_stride, n);
}

}  // namespace impl::generic::native
