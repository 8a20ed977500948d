#include <executorch/backends/cadence/kernels/windows.h>

namespace impl::generic::native {

namespace {

/// Sizes and steps are so small that no sum or product of two of them overflows.
constexpr int64_t kLimit = std::numeric_limits<int32_t>::max();

/// The entry for dimension `d` of the last `count`; -1 if the list has none.
int64_t entry(IntArrayRef list, size_t d, size_t count) {
  if (list.size() == 1) {
    return list[0];
  }
  return list.size() < count ? -1 : list[list.size() - count + d];
}

}  // namespace

Images::Images(const Tensor& t, bool channels_last) {
  const ssize_t rank = t.dim();
  batch = static_cast<size_t>(t.size(0));
  channels = static_cast<size_t>(t.size(channels_last ? rank - 1 : 1));
  const ssize_t first = channels_last ? 1 : 2;
  for (ssize_t d = 0; d < rank - 2; ++d) {
    size[4 - rank + d] = t.size(first + d);
  }
  const auto plane = static_cast<ptrdiff_t>(size[0] * size[1]);
  const auto step = channels_last ? static_cast<ptrdiff_t>(channels) : 1;
  batch_stride = plane * static_cast<ptrdiff_t>(channels);
  channel_stride = channels_last ? 1 : plane;
  stride[0] = static_cast<ptrdiff_t>(size[1]) * step;
  stride[1] = step;
}

Shape shape_of_images(size_t rank, int64_t batch, int64_t channels, int64_t height, int64_t width,
                      bool channels_last) {
  Shape shape;
  shape.push(batch);
  if (!channels_last) {
    shape.push(channels);
  }
  if (rank == 4) {
    shape.push(height);
  }
  shape.push(width);
  if (channels_last) {
    shape.push(channels);
  }
  return shape;
}

bool read_windows(KernelRuntimeContext& ctx, const Images& in, size_t rank,
                  const int64_t (&taps)[2], const Lists& lists, Windows& windows, bool ceil_mode) {
  const size_t count = rank - 2;
  for (size_t d = 0; d < count; ++d) {
    const size_t at = 2 - count + d;
    Axis& axis = windows.axis[at];
    axis.in = in.size[at];
    axis.in_stride = in.stride[at];
    axis.taps = taps[at];
    axis.stride = entry(lists.stride, d, count);
    axis.padding = entry(lists.padding, d, count);
    axis.dilation = entry(lists.dilation, d, count);
    if (!require(ctx, axis.taps > 0 && axis.taps <= kLimit, "a window must have taps") ||
        !require(ctx, axis.stride > 0 && axis.stride <= kLimit, "strides must be above zero") ||
        !require(ctx, axis.padding >= 0 && axis.padding <= kLimit,
                 "paddings must not be negative") ||
        !require(ctx, axis.dilation > 0 && axis.dilation <= kLimit,
                 "dilations must be above zero")) {
      return false;
    }
    const int64_t free = axis.in + 2 * axis.padding - axis.dilation * (axis.taps - 1) - 1;
    axis.out = free < 0 ? 0 : (free + (ceil_mode ? axis.stride - 1 : 0)) / axis.stride + 1;
    if (ceil_mode && (axis.out - 1) * axis.stride >= axis.in + axis.padding) {
      --axis.out;
    }
    if (!require(ctx, axis.out > 0 && axis.out <= kLimit, "no window fits, or too many")) {
      return false;
    }
  }
  return true;
}

bool read_entry(KernelRuntimeContext& ctx, IntArrayRef list, size_t d, size_t count,
                int64_t& value) {
  if (!require(ctx, list.size() == 1 || list.size() >= count, "a list has too few entries")) {
    return false;
  }
  value = list.size() == 1 ? list[0] : list[list.size() - count + d];
  return true;
}

bool read_transposed(KernelRuntimeContext& ctx, Axis& axis, int64_t stride, int64_t padding,
                     int64_t dilation, int64_t output_padding) {
  axis.stride = stride;
  axis.padding = padding;
  axis.dilation = dilation;
  if (!require(ctx, axis.in > 0 && axis.taps > 0 && axis.taps <= kLimit,
               "images and windows must not be empty") ||
      !require(ctx, stride > 0 && stride <= kLimit && dilation > 0 && dilation <= kLimit,
               "strides and dilations must be above zero") ||
      !require(ctx,
               padding >= 0 && padding <= kLimit && output_padding >= 0 && output_padding <= kLimit,
               "paddings must not be negative")) {
    return false;
  }
  axis.out = (axis.in - 1) * stride - 2 * padding + dilation * (axis.taps - 1) + output_padding + 1;
  return require(ctx, axis.out > 0 && axis.out <= kLimit,
                 "the output would be empty, or too large");
}

Inside taps_inside(const Axis& axis, int64_t out) {
  const int64_t first = out * axis.stride - axis.padding;
  // The first tap at or above zero, and the first one at or above the end.
  const int64_t begin = first >= 0 ? 0 : (-first + axis.dilation - 1) / axis.dilation;
  const int64_t rest = axis.in - first;
  const int64_t end = rest <= 0 ? 0 : (rest + axis.dilation - 1) / axis.dilation;
  return {begin < axis.taps ? begin : axis.taps, end < axis.taps ? end : axis.taps};
}

}  // namespace impl::generic::native
