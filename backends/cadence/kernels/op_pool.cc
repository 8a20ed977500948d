#include <executorch/backends/cadence/kernels/windows.h>
#include <executorch/kernels/portable/cpu/internal/pool.h>

namespace impl::generic::native {

namespace util = torch::executor::native::util;

namespace {

/// Two entries, or one for both. @returns false after failing the kernel.
bool read_pair(KernelRuntimeContext& ctx, IntArrayRef list, int64_t (&pair)[2]) {
  if (!require(ctx, list.size() == 1 || list.size() == 2, "a list must have two entries")) {
    return false;
  }
  pair[0] = list[0];
  pair[1] = list[list.size() - 1];
  return true;
}

/// Checks a pool of images and gives the output its sizes.
bool read_pool(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef kernel_size,
               const Lists& lists, bool ceil_mode, bool channels_last, Windows& windows,
               Tensor& out) {
  int64_t taps[2];
  if (!require(ctx, input.dim() == 4, "images have four dimensions") ||
      !require_plain(ctx, out, input.scalar_type()) || !read_pair(ctx, kernel_size, taps)) {
    return false;
  }
  const Images in(input, channels_last);
  if (!read_windows(ctx, in, 4, taps, lists, windows, ceil_mode)) {
    return false;
  }
  const Axis& rows = windows.axis[0];
  const Axis& columns = windows.axis[1];
  return require(ctx, rows.padding * 2 <= rows.taps && columns.padding * 2 <= columns.taps,
                 "padding must be at most half the window") &&
         resize(ctx,
                shape_of_images(4, input.size(0), static_cast<int64_t>(in.channels), rows.out,
                                columns.out, channels_last),
                out);
}

/// Calls `fn(image of one channel, row, column)` for each output, and writes what it gives.
template <typename T, typename Fn>
void for_each_output(const Tensor& input, bool channels_last, Tensor& out, Fn&& fn) {
  const Images from(input, channels_last);
  const Images to(out, channels_last);
  for (size_t n = 0; n < from.batch; ++n) {
    for (size_t c = 0; c < from.channels; ++c) {
      const T* const x = input.const_data_ptr<T>() + static_cast<ptrdiff_t>(n) * from.batch_stride +
                         static_cast<ptrdiff_t>(c) * from.channel_stride;
      T* const y = out.mutable_data_ptr<T>() + static_cast<ptrdiff_t>(n) * to.batch_stride +
                   static_cast<ptrdiff_t>(c) * to.channel_stride;
      for (int64_t row = 0; row < to.size[0]; ++row) {
        for (int64_t column = 0; column < to.size[1]; ++column) {
          y[row * to.stride[0] + column * to.stride[1]] = fn(x, row, column);
        }
      }
    }
  }
}

template <typename T>
T highest(const Windows& windows, const T* x, int64_t row, int64_t column) {
  const Axis& rows = windows.axis[0];
  const Axis& columns = windows.axis[1];
  const Inside down = taps_inside(rows, row);
  const Inside across = taps_inside(columns, column);
  T found = std::numeric_limits<T>::min();
  for (int64_t i = down.begin; i < down.end; ++i) {
    const int64_t at_row = row * rows.stride - rows.padding + i * rows.dilation;
    for (int64_t j = across.begin; j < across.end; ++j) {
      const int64_t at_column = column * columns.stride - columns.padding + j * columns.dilation;
      const T value = x[at_row * rows.in_stride + at_column * columns.in_stride];
      found = value > found ? value : found;
    }
  }
  return found;
}

void max_pool(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef kernel_size,
              const Lists& lists, bool ceil_mode, bool channels_last, Tensor& out) {
  Windows windows;
  if (!require_activation(ctx, input) ||
      !read_pool(ctx, input, kernel_size, lists, ceil_mode, channels_last, windows, out)) {
    return;
  }
  with_activation(input.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for_each_output<T>(input, channels_last, out, [&](const T* x, int64_t row, int64_t column) {
      return highest<T>(windows, x, row, column);
    });
  });
}

util::AverageWindow window_of(const Axis& axis, int64_t index, bool include_pad) {
  return util::average_window(
      {axis.in, axis.out, axis.taps, axis.stride, axis.padding, axis.dilation}, index, include_pad);
}

/// How an average divides: by what it counts, or by `divisor` if that is not 0.
struct Average {
  const Windows& windows;
  bool include_pad;
  int64_t divisor;
  int32_t zero_point;

  template <typename T>
  float mean(const T* x, int64_t row, int64_t column) const {
    const Axis& rows = windows.axis[0];
    const Axis& columns = windows.axis[1];
    const util::AverageWindow down = window_of(rows, row, include_pad);
    const util::AverageWindow across = window_of(columns, column, include_pad);
    float sum = 0;
    for (int64_t i = down.begin; i < down.end; ++i) {
      for (int64_t j = across.begin; j < across.end; ++j) {
        sum += static_cast<float>(x[i * rows.in_stride + j * columns.in_stride]) -
               static_cast<float>(zero_point);
      }
    }
    const int64_t count = divisor != 0 ? divisor : down.divisor * across.divisor;
    return sum / static_cast<float>(count) + static_cast<float>(zero_point);
  }
};

}  // namespace

Tensor& quantized_max_pool2d_nchw_out(KernelRuntimeContext& ctx, const Tensor& input,
                                      IntArrayRef kernel_size, IntArrayRef stride,
                                      IntArrayRef padding, IntArrayRef dilation, bool ceil_mode,
                                      Tensor& out) {
  const Lists lists = {stride.empty() ? kernel_size : stride, padding, dilation};
  max_pool(ctx, input, kernel_size, lists, ceil_mode, false, out);
  return out;
}

Tensor& quantized_max_pool2d_nhwc_out(KernelRuntimeContext& ctx, const Tensor& input,
                                      IntArrayRef kernel_size, IntArrayRef stride,
                                      IntArrayRef padding, IntArrayRef dilation, bool ceil_mode,
                                      Tensor& out) {
  const Lists lists = {stride.empty() ? kernel_size : stride, padding, dilation};
  max_pool(ctx, input, kernel_size, lists, ceil_mode, true, out);
  return out;
}

Tensor& avg_pool2d_out(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef kernel_size,
                       IntArrayRef stride, IntArrayRef padding, bool ceil_mode,
                       bool count_include_pad, optional<int64_t> divisor_override,
                       const optional<Tensor>& in_zero_point, bool channel_last, Tensor& out) {
  constexpr int64_t kNone[] = {0};
  constexpr int64_t kOne[] = {1};
  const Lists lists = {stride.empty() ? kernel_size : stride,
                       padding.empty() ? IntArrayRef(kNone, 1) : padding, IntArrayRef(kOne, 1)};
  const bool real = input.scalar_type() == ScalarType::Float;
  Windows windows;
  Average average = {windows, count_include_pad, 0, 0};
  int64_t zero_point = 0;
  if (!(real ? require_plain(ctx, input, ScalarType::Float) : require_activation(ctx, input)) ||
      !require(ctx, !divisor_override.has_value() || *divisor_override != 0,
               "the divisor must not be zero") ||
      (in_zero_point.has_value() && !read_integer(ctx, *in_zero_point, zero_point)) ||
      !read_zero_point(ctx, real ? ScalarType::Int : input.scalar_type(), zero_point,
                       average.zero_point) ||
      !read_pool(ctx, input, kernel_size, lists, ceil_mode, channel_last, windows, out)) {
    return out;
  }
  average.divisor = divisor_override.has_value() ? *divisor_override : 0;
  if (real) {
    for_each_output<float>(
        input, channel_last, out,
        [&](const float* x, int64_t row, int64_t column) { return average.mean(x, row, column); });
    return out;
  }
  with_activation(input.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for_each_output<T>(input, channel_last, out, [&](const T* x, int64_t row, int64_t column) {
      return to_integer<T>(average.mean(x, row, column), 0);
    });
  });
  return out;
}

}  // namespace impl::generic::native
