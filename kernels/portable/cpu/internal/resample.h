/**
 * @file
 * Output pixels that mix the input pixels around them.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/upsample.h>

namespace torch::executor::native::util {

/// How input pixels are mixed: between two neighbours or along a cubic through four; the
/// antialiasing forms widen the filter when an image shrinks.
enum class Filter : uint8_t { kLinear, kCubic, kLinearAntialias, kCubicAntialias };

/**
 * `check_upsample` and the resampling by a filter of images of rank 4, of any floating dtype or
 * Byte. Bytes are calculated as eager does it: with weights of 16 bits, rounded after the
 * horizontal and after the vertical pass.
 * @param scales Of height and width.
 */
Tensor& resample_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef output_size,
                     bool align_corners, const optional<double>* scales, Filter filter,
                     Tensor& out);

/**
 * Linear resampling along one to three spatial dimensions. Both tensors passed `check_upsample`.
 * Bytes as above, for two dimensions.
 */
Tensor& resample_linear(KernelRuntimeContext& ctx, const Tensor& in, size_t spatial,
                        const UpsampleDim* dim, bool align_corners, Tensor& out);

/// `check_upsample` and `resample_linear`.
Tensor& linear_out(KernelRuntimeContext& ctx, const Tensor& in, size_t spatial,
                   IntArrayRef output_size, bool align_corners, const optional<double>* scales,
                   Tensor& out);

}  // namespace torch::executor::native::util
