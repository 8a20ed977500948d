/**
 * @file
 * Long sums in parts that do not wait for each other, which compilers turn into vectors.
 */
#pragma once

#include <cstddef>

namespace torch::executor::native::util {

/// The sum of `term(i)` for 0 <= i < n, whose parts are sums of type `C`.
template <typename C, typename Term>
inline double sum_in_lanes(size_t n, const Term& term) {
  constexpr size_t kLanes = 8;
  C lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) {
      lanes[k] += term(i + k);
    }
  }
  double sum = 0;
  for (; i < n; ++i) {
    sum += term(i);
  }
  for (const C lane : lanes) {
    sum += lane;
  }
  return sum;
}

}  // namespace torch::executor::native::util
