/**
 * @file
 * The two ways in which pixel_shuffle and pixel_unshuffle look at the same elements: as a deep
 * image
 * [..., C, f, f, H, W] and as a wide one [..., C, H, f, W, f] with its dimensions in the deep
 * order.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native::util {

/// [..., C f f, H, W] as [..., C, f, f, H, W].
inline View split_channels(const View& deep, int64_t factor) {
  const size_t f = static_cast<size_t>(factor);
  const size_t c = deep.rank - 3;
  View v = deep;
  v.rank = deep.rank + 2;
  v.size[c] = deep.size[c] / (f * f);
  v.size[c + 1] = f;
  v.size[c + 2] = f;
  v.stride[c] = deep.stride[c] * static_cast<ptrdiff_t>(f * f);
  v.stride[c + 1] = deep.stride[c] * static_cast<ptrdiff_t>(f);
  v.stride[c + 2] = deep.stride[c];
  for (size_t i = 0; i < 2; ++i) {
    v.size[c + 3 + i] = deep.size[c + 1 + i];
    v.stride[c + 3 + i] = deep.stride[c + 1 + i];
  }
  return v;
}

/// [..., C, H f, W f] as [..., C, f, f, H, W].
inline View split_plane(const View& wide, int64_t factor) {
  const size_t f = static_cast<size_t>(factor);
  const size_t c = wide.rank - 3;
  View v = wide;
  v.rank = wide.rank + 2;
  for (size_t i = 0; i < 2; ++i) {
    v.size[c + 1 + i] = f;
    v.stride[c + 1 + i] = wide.stride[c + 1 + i];
    v.size[c + 3 + i] = wide.size[c + 1 + i] / f;
    v.stride[c + 3 + i] = wide.stride[c + 1 + i] * static_cast<ptrdiff_t>(f);
  }
  return v;
}

}  // namespace torch::executor::native::util
