/**
 * @file
 * Gradients of the average pooling operators on images.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/pool.h>
#include <executorch/kernels/portable/cpu/internal/volume.h>

namespace torch::executor::native::util {

/**
 * Spreads each element of `grad_out` over its window of `grad_in`, both volumes, in double. A half
 * type is rounded once for each window that covers an element.
 * @param windows As for `average_volume`.
 */
template <typename Windows>
void spread_volume(const View& grad_out, const View& grad_in, const Windows& windows,
                   int64_t divisor) {
  for_each_in_volume(grad_in, [&](size_t n, size_t c, size_t d, size_t h, size_t w) {
    put_element<double>(grad_in,
                        volume_offset(grad_in, n, c, static_cast<int64_t>(d),
                                      static_cast<int64_t>(h), static_cast<int64_t>(w)),
                        0);
  });
  for_each_in_volume(grad_out, [&](size_t n, size_t c, size_t d, size_t h, size_t w) {
    const AverageWindow rows = windows(0, static_cast<int64_t>(h));
    const AverageWindow columns = windows(1, static_cast<int64_t>(w));
    const int64_t count = divisor != 0 ? divisor : rows.divisor * columns.divisor;
    const double share =
        get_element<double>(grad_out,
                            volume_offset(grad_out, n, c, static_cast<int64_t>(d),
                                          static_cast<int64_t>(h), static_cast<int64_t>(w))) /
        static_cast<double>(count);
    for (int64_t y = rows.begin; y < rows.end; ++y) {
      for (int64_t x = columns.begin; x < columns.end; ++x) {
        const ptrdiff_t at = volume_offset(grad_in, n, c, static_cast<int64_t>(d), y, x);
        put_element<double>(grad_in, at, get_element<double>(grad_in, at) + share);
      }
    }
  });
}

}  // namespace torch::executor::native::util
