#include <executorch/backends/cortex_m/kernels/library.h>

namespace cortex_m::native {

namespace {

using Pool = library::Windows;

/// Rows or columns of the output; with `ceil_mode` the last window may begin inside and end
/// outside.
int32_t size_of(const Pool& pool, size_t axis, int32_t in, bool ceil_mode) {
  const int32_t room =
      in + 2 * pool.padding[axis] - pool.dilation[axis] * (pool.kernel[axis] - 1) - 1;
  if (room < 0) {
    return 0;
  }
  const int32_t stride = pool.stride[axis];
  int32_t size = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
  if (ceil_mode && (size - 1) * stride >= in + pool.padding[axis]) {
    --size;
  }
  return size;
}

bool read(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef kernel, IntArrayRef stride,
          IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, Layout layout, Pool& pool) {
  if (!read_images(ctx, input, layout, pool.in) || !read_pair(ctx, kernel, 1, pool.kernel) ||
      !read_pair(ctx, stride.empty() ? kernel : stride, 1, pool.stride) ||
      !read_pair(ctx, padding, 0, pool.padding) || !read_pair(ctx, dilation, 1, pool.dilation) ||
      !require(ctx, 2 * pool.padding[0] <= pool.kernel[0] && 2 * pool.padding[1] <= pool.kernel[1],
               "a pool's padding is at most half of its kernel")) {
    return false;
  }
  pool.out = {pool.in.batch, size_of(pool, 0, pool.in.height, ceil_mode),
              size_of(pool, 1, pool.in.width, ceil_mode), pool.in.channels, nullptr};
  return true;
}

/// Channels that are worked on at a time.
constexpr int32_t kLanes = 16;

/// Calls `tap(pointer)` for what a window has inside the image; pointers are to channel `c`.
template <typename Tap>
void for_taps(const Pool& pool, int32_t n, int32_t y, int32_t x, int32_t c, const Tap& tap) {
  for (int32_t ky = 0; ky < pool.kernel[0]; ++ky) {
    const int32_t at_y = y * pool.stride[0] - pool.padding[0] + ky * pool.dilation[0];
    if (at_y < 0 || at_y >= pool.in.height) {
      continue;
    }
    for (int32_t kx = 0; kx < pool.kernel[1]; ++kx) {
      const int32_t at_x = x * pool.stride[1] - pool.padding[1] + kx * pool.dilation[1];
      if (at_x >= 0 && at_x < pool.in.width) {
        tap(pool.in.data + ((n * pool.in.height + at_y) * pool.in.width + at_x) * pool.in.channels +
            c);
      }
    }
  }
}

/// Calls `window(n, y, x, c, lanes, to)` for all outputs, some channels at a time.
template <typename Window>
void for_windows(const Pool& pool, int8_t* out, const Window& window) {
  for (int32_t n = 0; n < pool.out.batch; ++n) {
    for (int32_t y = 0; y < pool.out.height; ++y) {
      for (int32_t x = 0; x < pool.out.width; ++x, out += pool.out.channels) {
        for (int32_t c = 0; c < pool.out.channels; c += kLanes) {
          const int32_t left = pool.out.channels - c;
          window(n, y, x, c, left < kLanes ? left : kLanes, out + c);
        }
      }
    }
  }
}

Tensor& max_pool(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef kernel,
                 IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode,
                 int64_t input_zero_point, int64_t output_zero_point, int64_t activation_min,
                 int64_t activation_max, Layout layout, Tensor& out) {
  Pool pool;
  Output output;
  int8_t* data = nullptr;
  if (!read(ctx, input, kernel, stride, padding, dilation, ceil_mode, layout, pool) ||
      !require(ctx, input_zero_point == output_zero_point, "a pool keeps its zero point") ||
      !read_output(ctx, output_zero_point, activation_min, activation_max, output) ||
      !write_images(ctx, pool.out, layout, out, data) || out.numel() == 0 ||
      library::max_pool(ctx, pool, output, data) != library::Outcome::kNone) {
    return out;
  }
  for_windows(pool, data,
              [&](int32_t n, int32_t y, int32_t x, int32_t c, int32_t lanes, int8_t* to) {
                int8_t most[kLanes];
                for (int32_t i = 0; i < kLanes; ++i) {
                  most[i] = static_cast<int8_t>(output.min);
                }
                for_taps(pool, n, y, x, c, [&](const int8_t* from) {
                  for (int32_t i = 0; i < lanes; ++i) {
                    most[i] = from[i] > most[i] ? from[i] : most[i];
                  }
                });
                for (int32_t i = 0; i < lanes; ++i) {
                  to[i] = most[i] < output.max ? most[i] : static_cast<int8_t>(output.max);
                }
              });
  return out;
}

constexpr int64_t kOnes[] = {1, 1};

Tensor& average_pool(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef kernel,
                     IntArrayRef stride, IntArrayRef padding, bool ceil_mode, const Tensor& scratch,
                     Layout layout, Tensor& out) {
  Pool pool;
  int8_t* data = nullptr;
  if (!read(ctx, input, kernel, stride, padding, IntArrayRef(kOnes, 2), ceil_mode, layout, pool) ||
      !write_images(ctx, pool.out, layout, out, data) || out.numel() == 0 ||
      library::average_pool(ctx, pool, scratch, data) != library::Outcome::kNone) {
    return out;
  }
  for_windows(pool, data,
              [&](int32_t n, int32_t y, int32_t x, int32_t c, int32_t lanes, int8_t* to) {
                int32_t sums[kLanes] = {};
                int32_t count = 0;
                for_taps(pool, n, y, x, c, [&](const int8_t* from) {
                  ++count;
                  for (int32_t i = 0; i < lanes; ++i) {
                    sums[i] += from[i];
                  }
                });
                // Rounded; halves go away from zero.
                for (int32_t i = 0; i < lanes; ++i) {
                  const int32_t half = sums[i] > 0 ? count / 2 : -(count / 2);
                  to[i] = count == 0 ? int8_t{0} : static_cast<int8_t>((sums[i] + half) / count);
                }
              });
  return out;
}

}  // namespace

Tensor& quantized_max_pool2d_out(KernelRuntimeContext& ctx, const Tensor& input,
                                 IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
                                 IntArrayRef dilation, bool ceil_mode, int64_t input_zero_point,
                                 int64_t output_zero_point, int64_t activation_min,
                                 int64_t activation_max, Tensor& out) {
  return max_pool(ctx, input, kernel_size, stride, padding, dilation, ceil_mode, input_zero_point,
                  output_zero_point, activation_min, activation_max, Layout::kChannelsLast, out);
}

Tensor& quantized_max_pool2d_nhwc_out(KernelRuntimeContext& ctx, const Tensor& input,
                                      IntArrayRef kernel_size, IntArrayRef stride,
                                      IntArrayRef padding, IntArrayRef dilation, bool ceil_mode,
                                      int64_t input_zero_point, int64_t output_zero_point,
                                      int64_t activation_min, int64_t activation_max, Tensor& out) {
  return max_pool(ctx, input, kernel_size, stride, padding, dilation, ceil_mode, input_zero_point,
                  output_zero_point, activation_min, activation_max, Layout::kNhwc, out);
}

// The mean keeps the input's scale and zero point, so that the factor has no part in it.

Tensor& quantized_avg_pool2d_out(KernelRuntimeContext& ctx, const Tensor& input,
                                 IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
                                 bool ceil_mode, int64_t /*zero_point*/, int64_t /*multiplier*/,
                                 int64_t /*shift*/, const Tensor& scratch, Tensor& out) {
  return average_pool(ctx, input, kernel_size, stride, padding, ceil_mode, scratch,
                      Layout::kChannelsLast, out);
}

Tensor& quantized_avg_pool2d_nhwc_out(KernelRuntimeContext& ctx, const Tensor& input,
                                      IntArrayRef kernel_size, IntArrayRef stride,
                                      IntArrayRef padding, bool ceil_mode, int64_t /*zero_point*/,
                                      int64_t /*multiplier*/, int64_t /*shift*/,
                                      const Tensor& scratch, Tensor& out) {
  return average_pool(ctx, input, kernel_size, stride, padding, ceil_mode, scratch, Layout::kNhwc,
                      out);
}

}  // namespace cortex_m::native
