/**
 * @file
 * What the resampling operators share: output sizes, scales, and copies of the nearest pixel.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// The most spatial dimensions of an image: depth, height and width.
constexpr size_t kMostSpatial = 3;

/// One spatial dimension.
struct UpsampleDim {
  size_t in;
  size_t out;
  /// Input pixels for an output pixel, from the given scale factor if there is one.
  double scale;
};

/// A position or scale as float, if `single`.
inline double upsample_rounded(double value, bool single) {
  return single ? static_cast<double>(static_cast<float>(value)) : value;
}

/**
 * Input pixels for an output pixel, where the corners may be aligned, rounded to float or not.
 * @param single Eager calculates positions of all but Double and Byte as float. At pixel 1000 that
 *   moves an image by 1 / 32768 of a pixel, so results agree with it only if these do the same.
 */
double upsample_scale(const UpsampleDim& dim, bool align_corners, bool single);

/// Where output pixel `out` lies among the input pixels, by `upsample_scale`; rounded once.
double upsample_position(size_t out, double scale, bool align_corners, bool single);

/**
 * Checks the arguments and resizes `out`.
 * @param in [N, C, spatial...] with `spatial` dimensions at the end.
 * @param output_size Their sizes in the output; exactly one of this and `scale_factors` is given.
 * @param dim One for each of them.
 */
bool check_upsample(KernelRuntimeContext& ctx, const Tensor& in, size_t spatial,
                    const OptionalArrayRef<int64_t>& output_size,
                    const OptionalArrayRef<double>& scale_factors, UpsampleDim* dim, Tensor& out);

/**
 * The same for an output size and, if given, the scale factors that it came from.
 * @param scales One for each spatial dimension.
 */
bool check_upsample(KernelRuntimeContext& ctx, const Tensor& in, size_t spatial,
                    IntArrayRef output_size, const optional<double>* scales, UpsampleDim* dim,
                    Tensor& out);

/// Which pixel is the nearest one: the one at an output pixel's corner, or the one at its center.
enum class Nearest { kCorner, kCenter };

/// Every output pixel is the nearest input pixel. Both tensors passed `check_upsample`.
void upsample_nearest(const Tensor& in, size_t spatial, const UpsampleDim* dim, Nearest nearest,
                      const Tensor& out);

/// `check_upsample` and `upsample_nearest`.
Tensor& nearest_out(KernelRuntimeContext& ctx, const Tensor& in, size_t spatial,
                    IntArrayRef output_size, const optional<double>* scales, Nearest nearest,
                    Tensor& out);

}  // namespace torch::executor::native::util
