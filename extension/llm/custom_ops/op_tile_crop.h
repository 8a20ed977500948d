/**
 * @file
 * An image as the tiles that a vision encoder looks at: `preprocess::tile_crop.out`.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native {

/**
 * Cuts an image into tiles, in reading order.
 * @param in [channels, height, width], of any dtype; both sizes are multiples of `tile_size`.
 * @param out [tiles, channels, tile_size, tile_size].
 */
Tensor& tile_crop_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t tile_size, Tensor& out);

}  // namespace torch::executor::native
