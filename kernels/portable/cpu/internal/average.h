/**
 * @file
 * Averages over rectangular windows of images.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pool.h>

namespace torch::executor::native::util {

/// Sums a window of `rows` x `columns` elements. Offsets and strides in elements.
template <typename C>
C window_sum(ScalarType dtype, const char* from, size_t element_size, int64_t rows,
             ptrdiff_t row_stride, int64_t columns, ptrdiff_t column_stride) {
  constexpr int64_t kMost = 64;
  C line[kMost];
  C sum = 0;
  const bool native = dtype == native_dtype(ComputeOf<C>::value);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c0 = 0; c0 < columns; c0 += kMost) {
      const int64_t n = columns - c0 < kMost ? columns - c0 : kMost;
      const ptrdiff_t offset =
          static_cast<ptrdiff_t>(r) * row_stride + static_cast<ptrdiff_t>(c0) * column_stride;
      const char* start = from + offset * static_cast<ptrdiff_t>(element_size);
      const C* x = reinterpret_cast<const C*>(start);
      ptrdiff_t stride = column_stride;
      if (!native) {
        load(ComputeOf<C>::value, dtype, start, column_stride, static_cast<size_t>(n), line);
        x = line;
        stride = 1;
      }
      for (int64_t i = 0; i < n; ++i) {
        sum = wrapping_add(sum, x[static_cast<ptrdiff_t>(i) * stride]);
      }
    }
  }
  return sum;
}

/// `average_windows` in compute type C.
template <typename C, typename Windows>
void average_windows_in(const Tensor& in, Tensor& out, const Windows& windows, int64_t divisor) {
  const ImageStrides in_strides(in);
  const ImageStrides out_strides(out);
  const char* from = static_cast<const char*>(in.const_data_ptr());
  char* to = static_cast<char*>(out.mutable_data_ptr());
  const size_t size = static_cast<size_t>(in.element_size());
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(size);
  const int64_t height = out.size(out.dim() - 2);
  const int64_t width = out.size(out.dim() - 1);
  for_each_channel(in, in_strides, out_strides, [&](ptrdiff_t in_offset, ptrdiff_t out_offset) {
    for (int64_t oh = 0; oh < height; ++oh) {
      const AverageWindow rows = windows(0, oh);
      for (int64_t ow = 0; ow < width; ++ow) {
        const AverageWindow columns = windows(1, ow);
        const ptrdiff_t first = in_offset + static_cast<ptrdiff_t>(rows.begin) * in_strides.height +
                                static_cast<ptrdiff_t>(columns.begin) * in_strides.width;
        C average =
            window_sum<C>(in.scalar_type(), from + first * bytes, size, rows.end - rows.begin,
                          in_strides.height, columns.end - columns.begin, in_strides.width);
        average = quotient<C>(average, divisor != 0 ? divisor : rows.divisor * columns.divisor);
        store(ComputeOf<C>::value, out.scalar_type(), &average, 1,
              to + (out_offset + static_cast<ptrdiff_t>(oh) * out_strides.height +
                    static_cast<ptrdiff_t>(ow) * out_strides.width) *
                       bytes);
      }
    }
  });
}

/**
 * Averages a window for each output pixel.
 * @param windows `windows(d, index) -> AverageWindow`: the window of output index `index` along
 *     dimension d (0 height, 1 width), inside the input.
 * @param divisor What sums are divided by if not 0.
 */
template <typename Windows>
void average_windows(const Tensor& in, Tensor& out, const Windows& windows, int64_t divisor) {
  switch (arithmetic_compute(in.scalar_type())) {
    case Compute::kFloat:
      return average_windows_in<float>(in, out, windows, divisor);
    case Compute::kDouble:
      return average_windows_in<double>(in, out, windows, divisor);
    default:
      return average_windows_in<int64_t>(in, out, windows, divisor);
  }
}

}  // namespace torch::executor::native::util
