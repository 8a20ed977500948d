/**
 * @file
 * Resampling of images [N, C, H, W]: checks of the arguments, which log what is wrong, sizes, and
 * where an output pixel comes from, as eager calculates it.
 */
#pragma once

#include <cstdint>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {

bool check_upsample_2d_common_args(const Tensor& in,
                                   const executorch::aten::OptionalArrayRef<int64_t>& output_size,
                                   const executorch::aten::OptionalArrayRef<double>& scale_factors,
                                   Tensor& out);
bool check_upsample_bilinear2d_args(const Tensor& in,
                                    const executorch::aten::OptionalArrayRef<int64_t>& output_size,
                                    const bool align_corners,
                                    const executorch::aten::OptionalArrayRef<double>& scale_factors,
                                    Tensor& out);
bool check_upsample_nearest2d_args(const Tensor& in,
                                   const executorch::aten::OptionalArrayRef<int64_t>& output_size,
                                   const executorch::aten::OptionalArrayRef<double>& scale_factors,
                                   Tensor& out);

/// Resizes the output. @param scale_h_out, scale_w_out Take the factors, -1 if the size is given.
/// Errors: InvalidArgument without size and factors; those of `resize_tensor`.
ET_NODISCARD Error
resize_upsample_2d(const Tensor& in, const executorch::aten::OptionalArrayRef<int64_t>& output_size,
                   const executorch::aten::OptionalArrayRef<double>& scale_factors,
                   double& scale_h_out, double& scale_w_out, Tensor& out);

/// Input pixels for an output pixel, from the factor if there is a positive one.
template <typename scalar_t>
inline scalar_t compute_scales_value(const optional<double>& scale, int64_t input_size,
                                     int64_t output_size) {
  return scale.has_value() && *scale > 0
             ? static_cast<scalar_t>(1.0 / *scale)
             : static_cast<scalar_t>(input_size) / static_cast<scalar_t>(output_size);
}

/// The same; with `align_corners` the distance of the outermost pixels decides.
template <typename scalar_t>
inline scalar_t area_pixel_compute_scale(int64_t input_size, int64_t output_size,
                                         bool align_corners, const optional<double>& scale) {
  if (align_corners) {
    return output_size > 1
               ? static_cast<scalar_t>(input_size - 1) / static_cast<scalar_t>(output_size - 1)
               : scalar_t(0);
  }
  return compute_scales_value<scalar_t>(scale, input_size, output_size);
}

/// Where output pixel `dst_index` is in the input. @param cubic Positions before the first pixel
/// stay there.
template <typename scalar_t>
inline scalar_t area_pixel_compute_source_index(scalar_t scale, int64_t dst_index,
                                                bool align_corners, bool cubic) {
  if (align_corners) {
    return scale * static_cast<scalar_t>(dst_index);
  }
  const scalar_t at = scale * (static_cast<scalar_t>(dst_index) + scalar_t(0.5)) - scalar_t(0.5);
  return !cubic && at < scalar_t(0) ? scalar_t(0) : at;
}

/// The two input pixels that an output pixel is mixed from, and their shares.
template <typename scalar_t, typename opmath_t>
inline void compute_source_index_and_lambda(int64_t& input_index0, int64_t& input_index1,
                                            scalar_t& lambda0, scalar_t& lambda1, opmath_t ratio,
                                            int64_t output_index, int64_t input_size,
                                            int64_t output_size, bool align_corners) {
  if (output_size == input_size) {
    input_index0 = output_index;
    input_index1 = output_index;
    lambda0 = scalar_t(1);
    lambda1 = scalar_t(0);
    return;
  }
  const opmath_t at = area_pixel_compute_source_index<opmath_t>(ratio, output_index, align_corners,
                                                                /*cubic=*/false);
  const int64_t below = static_cast<int64_t>(at);
  input_index0 = below < input_size - 1 ? below : input_size - 1;
  input_index1 = input_index0 + (input_index0 < input_size - 1 ? 1 : 0);
  const opmath_t share = at - static_cast<opmath_t>(input_index0);
  lambda1 = static_cast<scalar_t>(share < 0 ? opmath_t(0) : share > 1 ? opmath_t(1) : share);
  lambda0 = scalar_t(1) - lambda1;
}

/// The input pixel that output pixel `dst_index` copies.
inline int64_t nearest_neighbor_compute_source_index(const float scale, int64_t dst_index,
                                                     int64_t input_size) {
  const int64_t at = static_cast<int64_t>(static_cast<float>(dst_index) * scale);
  return at < input_size - 1 ? at : input_size - 1;
}

}  // namespace torch::executor
