#include <executorch/kernels/portable/cpu/util/upsample.h>

namespace torch::executor::native::util {

bool check_upsample(KernelRuntimeContext& ctx, const Tensor& in,
                    const OptionalArrayRef<int64_t>& output_size,
                    const OptionalArrayRef<double>& scale_factors, UpsampleDim* dim, Tensor& out) {
  if (!require_real(ctx, in) || !require_same_dtype(ctx, in, out) ||
      !require(ctx, in.dim() == 4, "the image must have rank 4") ||
      !require(ctx, output_size.has_value() != scale_factors.has_value(),
               "exactly one of output_size and scale_factors must be given") ||
      !require(ctx, !output_size.has_value() || output_size->size() == 2,
               "output_size must have two entries") ||
      !require(ctx, !scale_factors.has_value() || scale_factors->size() == 2,
               "scale_factors must have two entries")) {
    return false;
  }
  Shape shape(in);
  for (size_t d = 0; d < 2; ++d) {
    const int64_t size = in.size(static_cast<ssize_t>(2 + d));
    const double out_size = output_size.has_value()
                                ? static_cast<double>((*output_size)[d])
                                : static_cast<double>(size) * (*scale_factors)[d];
    if (!require(ctx, size > 0 && out_size >= 1 && out_size <= INT32_MAX,
                 "a size of the image is out of range")) {
      return false;
    }
    shape.sizes[2 + d] = static_cast<SizesType>(out_size);
    dim[d].scale = scale_factors.has_value()
                       ? static_cast<float>(1.0 / (*scale_factors)[d])
                       : static_cast<float>(size) / static_cast<float>(shape.sizes[2 + d]);
  }
  return resize(ctx, shape, out);
}

bool check_upsample(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef output_size,
                    const optional<double>& scale_h, const optional<double>& scale_w,
                    UpsampleDim* dim, Tensor& out) {
  if (!check_upsample(ctx, in, OptionalArrayRef<int64_t>(output_size), OptionalArrayRef<double>(),
                      dim, out)) {
    return false;
  }
  const optional<double>* scales[] = {&scale_h, &scale_w};
  for (size_t d = 0; d < 2; ++d) {
    if (!scales[d]->has_value() || !(**scales[d] > 0)) {
      continue;
    }
    const double scale = 1.0 / **scales[d];
    if (!require(ctx, scale <= INT32_MAX, "a scale is out of range")) {
      return false;
    }
    dim[d].scale = static_cast<float>(scale);
  }
  return true;
}

}  // namespace torch::executor::native::util
