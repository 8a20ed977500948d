/**
 * @file
 * p-norm distances between rows.
 */
#pragma once

#include <cmath>

#include <executorch/kernels/portable/cpu/util/compute.h>

namespace torch::executor::native::util {

/// The p-norm of the difference of two rows of `n` consecutive elements of a floating dtype.
inline double distance(ScalarType dtype, const char* a, const char* b, size_t n, double p) {
  constexpr size_t kMost = kChunkBytes / sizeof(double);
  const size_t size = executorch::runtime::elementSize(dtype);
  double x[kMost];
  double y[kMost];
  double sum = 0;
  for (size_t first = 0; first < n; first += kMost) {
    const size_t count = n - first < kMost ? n - first : kMost;
    load(Compute::kDouble, dtype, a + first * size, 1, count, x);
    load(Compute::kDouble, dtype, b + first * size, 1, count, y);
    for (size_t i = 0; i < count; ++i) {
      const double d = std::fabs(x[i] - y[i]);
      if (p == 0) {
        sum += d != 0 ? 1 : 0;
      } else if (p == 1) {
        sum += d;
      } else if (p == 2) {
        sum += d * d;
      } else if (std::isinf(p)) {
        sum = d > sum || d != d ? d : sum;
      } else {
        sum += std::pow(d, p);
      }
    }
  }
  const bool is_root = p != 0 && p != 1 && p != 2 && !std::isinf(p);
  return p == 2 ? std::sqrt(sum) : is_root ? std::pow(sum, 1 / p) : sum;
}

}  // namespace torch::executor::native::util
