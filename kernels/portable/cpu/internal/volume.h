/**
 * @file
 * Pooling over one or three spatial dimensions: tensors as volumes [N, C, D, H, W].
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/pool.h>

namespace torch::executor::native::util {

/// `t`, of `spatial` spatial dimensions with or without a batch, with dimensions of size 1 added.
inline View as_volume(const Tensor& t, size_t spatial) {
  View view(t);
  if (view.rank == spatial + 1) {
    view = view.unsqueeze(0);
  }
  while (view.rank < 5) {
    view = view.unsqueeze(2);
  }
  return view;
}

/// Calls `fn(batch, channel, d, h, w)` for each element of a volume.
template <typename Fn>
void for_each_in_volume(const View& volume, Fn&& fn) {
  for (size_t n = 0; n < volume.size[0]; ++n) {
    for (size_t c = 0; c < volume.size[1]; ++c) {
      for (size_t d = 0; d < volume.size[2]; ++d) {
        for (size_t h = 0; h < volume.size[3]; ++h) {
          for (size_t w = 0; w < volume.size[4]; ++w) {
            fn(n, c, d, h, w);
          }
        }
      }
    }
  }
}

/// The indices of line `line` of a volume without empty dimensions, counted in index order.
struct VolumeLine {
  size_t n;
  size_t c;
  size_t d;
  size_t h;

  VolumeLine(const View& volume, size_t line) {
    h = line % volume.size[3];
    line /= volume.size[3];
    d = line % volume.size[2];
    line /= volume.size[2];
    c = line % volume.size[1];
    n = line / volume.size[1];
  }
};

/// Where element [n, c, d, h, w] is, in elements.
inline ptrdiff_t volume_offset(const View& v, size_t n, size_t c, int64_t d, int64_t h, int64_t w) {
  return static_cast<ptrdiff_t>(n) * v.stride[0] + static_cast<ptrdiff_t>(c) * v.stride[1] +
         static_cast<ptrdiff_t>(d) * v.stride[2] + static_cast<ptrdiff_t>(h) * v.stride[3] +
         static_cast<ptrdiff_t>(w) * v.stride[4];
}

/**
 * Averages a window of `in` for each element of `out`, both volumes.
 * @param windows `windows(d, index) -> AverageWindow` for spatial dimension d (0 depth, 2 width).
 * @param divisor What sums are divided by if not 0.
 */
template <typename C, typename Windows>
void average_volume(const View& in, const View& out, const Windows& windows, int64_t divisor) {
  for_each_in_volume(out, [&](size_t n, size_t c, size_t d, size_t h, size_t w) {
    const AverageWindow depth = windows(0, static_cast<int64_t>(d));
    const AverageWindow rows = windows(1, static_cast<int64_t>(h));
    const AverageWindow columns = windows(2, static_cast<int64_t>(w));
    C sum = 0;
    for (int64_t z = depth.begin; z < depth.end; ++z) {
      for (int64_t y = rows.begin; y < rows.end; ++y) {
        for (int64_t x = columns.begin; x < columns.end; ++x) {
          sum = wrapping_add<C>(sum, get_element<C>(in, volume_offset(in, n, c, z, y, x)));
        }
      }
    }
    const int64_t count = divisor != 0 ? divisor : depth.divisor * rows.divisor * columns.divisor;
    // Of three sides of padding the product may be more than 64 bits have, and 0.
    put_element<C>(out,
                   volume_offset(out, n, c, static_cast<int64_t>(d), static_cast<int64_t>(h),
                                 static_cast<int64_t>(w)),
                   count == 0 ? C(0) : quotient<C>(sum, count));
  });
}

/// Resizes `out` for `in` with its last dimensions as in `output_size`, and averages the windows
/// that share `in` out.
inline void adaptive_average(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef output_size,
                             Tensor& out) {
  const size_t spatial = output_size.size();
  const size_t rank = static_cast<size_t>(in.dim());
  if (!require(ctx, rank == spatial + 1 || rank == spatial + 2,
               "pooling needs an image of its spatial dimensions, channels and at most a batch") ||
      !require_floating(ctx, in) || !require_same_dtype(ctx, in, out)) {
    return;
  }
  Shape shape(in);
  for (size_t d = 0; d < spatial; ++d) {
    const size_t at = rank - spatial + d;
    if (!require(ctx, output_size[d] >= 0 && output_size[d] <= INT32_MAX,
                 "an entry of output_size is out of range") ||
        !require(ctx, in.size(static_cast<ssize_t>(at)) > 0, "the image must not be empty")) {
      return;
    }
    shape.sizes[at] = static_cast<SizesType>(output_size[d]);
  }
  if (!resize(ctx, shape, out)) {
    return;
  }
  const View source = as_volume(in, spatial);
  const View target = as_volume(out, spatial);
  const auto windows = [&](size_t d, int64_t index) {
    return adaptive_window(static_cast<int64_t>(source.size[2 + d]),
                           static_cast<int64_t>(target.size[2 + d]), index);
  };
  with_arithmetic_type(in.scalar_type(), [&](auto zero) {
    average_volume<decltype(zero)>(source, target, windows, 0);
  });
}

}  // namespace torch::executor::native::util
