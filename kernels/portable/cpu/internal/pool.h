/**
 * @file
 * Windows of the pooling operators on images [N, C, spatial...] or [C, spatial...], with one to
 * three spatial dimensions, in any dim order.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// One spatial dimension of a pooling operator.
struct PoolDim {
  int64_t in;
  int64_t out;
  int64_t kernel;
  int64_t stride;
  int64_t padding;
  int64_t dilation;
};

/**
 * Reads and checks the arguments of a pooling operator with a fixed window.
 * @param stride Empty for the kernel's size.
 * @param dilation Empty for 1.
 * @param dim One for each spatial dimension.
 * @param shape The output's shape.
 * @param spatial Number of spatial dimensions, the last ones.
 * @returns false after setting the context's failure state.
 */
bool check_pool(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef kernel, IntArrayRef stride,
                IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, PoolDim* dim,
                Shape& shape, size_t spatial = 2);

/// The input indices that a window covers along one dimension, and its share of an average's
/// divisor.
struct AverageWindow {
  int64_t begin;  // [begin, end)
  int64_t end;
  int64_t divisor;
};

/// The window of output index `index`; `include_pad` counts the padding in the divisor.
inline AverageWindow average_window(const PoolDim& p, int64_t index, bool include_pad) {
  const int64_t begin = index * p.stride - p.padding;
  const int64_t end = begin + p.kernel < p.in + p.padding ? begin + p.kernel : p.in + p.padding;
  const int64_t inside_begin = begin < 0 ? 0 : begin;
  const int64_t inside_end = end > p.in ? p.in : end;
  return {inside_begin, inside_end, include_pad ? end - begin : inside_end - inside_begin};
}

/// The window of output index `index` when `in` elements are averaged to `out` of them.
inline AverageWindow adaptive_window(int64_t in, int64_t out, int64_t index) {
  const int64_t begin = index * in / out;
  const int64_t end = ((index + 1) * in + out - 1) / out;
  return {begin, end, end - begin};
}

/// Memory of an image tensor: strides in elements.
struct ImageStrides {
  ptrdiff_t batch;
  ptrdiff_t channel;
  ptrdiff_t height;
  ptrdiff_t width;

  explicit ImageStrides(const Tensor& t);
};

/// Calls `fn(in_offset, out_offset)` with the offsets of each image's channel, in elements.
template <typename Fn>
void for_each_channel(const Tensor& in, const ImageStrides& in_strides,
                      const ImageStrides& out_strides, Fn&& fn) {
  const ssize_t channel_dim = in.dim() - 3;
  const ssize_t batch = channel_dim > 0 ? in.size(0) : 1;
  for (ssize_t n = 0; n < batch; ++n) {
    for (ssize_t c = 0; c < in.size(channel_dim); ++c) {
      fn(n * in_strides.batch + c * in_strides.channel,
         n * out_strides.batch + c * out_strides.channel);
    }
  }
}

}  // namespace torch::executor::native::util
