/**
 * @file
 * Windows over images [n, c, h, w] or, channels last, [n, h, w, c]; without height [n, c, l] or
 * [n, l, c].
 */
#pragma once

#include <executorch/backends/cadence/kernels/common.h>

namespace impl::generic::native {

/// One spatial dimension.
struct Axis {
  int64_t in = 1;
  int64_t out = 1;
  int64_t taps = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
  /// Steps in elements.
  ptrdiff_t in_stride = 0;
  ptrdiff_t out_stride = 0;
  ptrdiff_t tap_stride = 0;
};

/// Rows and columns.
struct Windows {
  Axis axis[2];
};

/// Where images lie in memory; steps in elements.
struct Images {
  size_t batch = 0;
  size_t channels = 0;
  int64_t size[2] = {1, 1};
  ptrdiff_t batch_stride = 0;
  ptrdiff_t channel_stride = 0;
  ptrdiff_t stride[2] = {0, 0};

  /// Of a contiguous tensor of three or four dimensions.
  Images(const Tensor& t, bool channels_last);
};

/// The output's shape for images.
Shape shape_of_images(size_t rank, int64_t batch, int64_t channels, int64_t height, int64_t width,
                      bool channels_last);

/// A list as it comes from the program, whose last entries are those of the last dimensions; one
/// entry is for all.
struct Lists {
  IntArrayRef stride;
  IntArrayRef padding;
  IntArrayRef dilation;
};

/**
 * Reads the geometry along the dimensions that the images have, and how many windows fit.
 * @param taps The window's sizes, those of the images' last dimensions.
 * @param ceil_mode Whether a last window may hang over, if it begins before the image's end.
 * @returns false after failing the kernel.
 */
bool read_windows(KernelRuntimeContext& ctx, const Images& in, size_t rank,
                  const int64_t (&taps)[2], const Lists& lists, Windows& windows,
                  bool ceil_mode = false);

/// Entry for dimension `d` of the last `count`; one is for all.
bool read_entry(KernelRuntimeContext& ctx, IntArrayRef list, size_t d, size_t count,
                int64_t& value);

/// One dimension of a transposed convolution: `out` of an input of `in` spread by `stride`.
bool read_transposed(KernelRuntimeContext& ctx, Axis& axis, int64_t stride, int64_t padding,
                     int64_t dilation, int64_t output_padding);

/// The taps of a window that lie in the image: [begin, end).
struct Inside {
  int64_t begin;
  int64_t end;
};
Inside taps_inside(const Axis& axis, int64_t out);

}  // namespace impl::generic::native
