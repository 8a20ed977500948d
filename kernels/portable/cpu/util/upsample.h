/**
 * @file
 * What the resampling operators share: output sizes and scales.
 */
#pragma once

#include <executorch/kernels/portable/cpu/util/shape.h>

namespace torch::executor::native::util {

/// One spatial dimension.
struct UpsampleDim {
  /// Input pixels for an output pixel, from the given scale factor if there is one.
  float scale;
};

/**
 * Checks the arguments and resizes `out`.
 * @param in [N, C, H, W].
 * @param output_size H and W of the output; exactly one of this and `scale_factors` is given.
 * @param dim Height and width.
 */
bool check_upsample(KernelRuntimeContext& ctx, const Tensor& in,
                    const OptionalArrayRef<int64_t>& output_size,
                    const OptionalArrayRef<double>& scale_factors, UpsampleDim* dim, Tensor& out);

/// The same for an output size and, if given, the scale factors that it came from.
bool check_upsample(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef output_size,
                    const optional<double>& scale_h, const optional<double>& scale_w,
                    UpsampleDim* dim, Tensor& out);

}  // namespace torch::executor::native::util
