/**
 * @file
 * Truth values that are not zero, without a branch for each, which processors guess wrong.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace torch::executor::native::optimized {

/// Truth values that are looked at together; if none is true, no more.
constexpr size_t kTruths = 256;

inline size_t count_true(const uint8_t* truth, size_t n) {
  size_t count = 0;
  for (size_t first = 0; first < n; first += 128) {
    const size_t end = n - first < 128 ? n : first + 128;
    uint8_t some = 0;  // a byte has room for the count of these
    for (size_t i = first; i < end; ++i) {
      some = static_cast<uint8_t>(some + (truth[i] != 0 ? 1 : 0));
    }
    count += some;
  }
  return count;
}

/// Calls `fn(k, i)` with the place i of the k-th true one, for k < count. It is called for others,
/// too, before the true ones.
template <typename Fn>
void for_each_true(const uint8_t* truth, size_t count, const Fn& fn) {
  size_t i = 0;
  for (size_t k = 0; k < count; ++i) {
    fn(k, i);
    k += truth[i] != 0 ? 1 : 0;
  }
}

}  // namespace torch::executor::native::optimized
