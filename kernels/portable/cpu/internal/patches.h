/**
 * @file
 * Images as columns of patches, for im2col and col2im.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// One dimension of a grid of patches.
struct PatchDim {
  int64_t image;
  int64_t kernel;
  int64_t dilation;
  int64_t padding;
  int64_t stride;
  int64_t count;  // patches

  /// Where tap `k` of patch `p` is in the image; out of range if it is in the padding.
  int64_t at(int64_t p, int64_t k) const { return p * stride - padding + k * dilation; }
};

/// Reads and checks the arguments; `image` are height and width.
inline bool check_patches(KernelRuntimeContext& ctx, const int64_t* image, IntArrayRef kernel,
                          IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride,
                          PatchDim* dims) {
  if (!require(
          ctx,
          kernel.size() == 2 && dilation.size() == 2 && padding.size() == 2 && stride.size() == 2,
          "kernel_size, dilation, padding and stride need two entries")) {
    return false;
  }
  for (size_t d = 0; d < 2; ++d) {
    const bool in_range = image[d] > 0 && image[d] <= INT32_MAX && kernel[d] > 0 &&
                          kernel[d] <= INT32_MAX && dilation[d] > 0 && dilation[d] <= INT32_MAX &&
                          padding[d] >= 0 && padding[d] <= INT32_MAX && stride[d] > 0 &&
                          stride[d] <= INT32_MAX;
    if (!require(ctx, in_range, "a size or an entry of the window is out of range")) {
      return false;
    }
    const int64_t room = image[d] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1;
    if (!require(ctx, room >= 0, "the window exceeds the image")) {
      return false;
    }
    dims[d] = {image[d], kernel[d], dilation[d], padding[d], stride[d], room / stride[d] + 1};
  }
  return true;
}

/// Calls `fn(row, column, h, w)` for each element of the columns of one channel.
template <typename Fn>
void for_each_patch_element(const PatchDim* dims, Fn&& fn) {
  for (int64_t kh = 0; kh < dims[0].kernel; ++kh) {
    for (int64_t kw = 0; kw < dims[1].kernel; ++kw) {
      for (int64_t ph = 0; ph < dims[0].count; ++ph) {
        for (int64_t pw = 0; pw < dims[1].count; ++pw) {
          fn(kh * dims[1].kernel + kw, ph * dims[1].count + pw, dims[0].at(ph, kh),
             dims[1].at(pw, kw));
        }
      }
    }
  }
}

}  // namespace torch::executor::native::util
