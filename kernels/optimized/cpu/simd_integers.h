/**
 * @file
 * Sums of products of integers for one instruction set; part of simd_loops.h, which says how.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace torch::executor::native::optimized {
namespace {

/// See `FloatLoops::add_products`. The compiler knows instructions for a sum of this form alone,
/// that multiply pairs of 16 bits and add them up.
ET_TARGET void add_products(const int16_t* x, size_t stride, size_t rows, const int8_t* w, size_t n,
                            int32_t* sums) {
  for (size_t r = 0; r < rows; ++r) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; ++i) {
      sum += int32_t{x[r * stride + i]} * int32_t{w[i]};
    }
    sums[r] += sum;
  }
}

}  // namespace
}  // namespace torch::executor::native::optimized
