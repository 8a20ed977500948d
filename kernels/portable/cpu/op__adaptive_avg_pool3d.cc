#include <executorch/kernels/portable/cpu/internal/volume.h>

namespace torch::executor::native {
Tensor& _adaptive_avg_pool3d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                 IntArrayRef output_size, Tensor& out) {
  constexpr size_t kSpatial = 3;
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require(ctx, rank == kSpatial + 1 || rank == kSpatial + 2,
                     "pooling needs an image of rank 4 or 5") ||
      !util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, output_size.size() == kSpatial, "output_size must have three entries")) {
    return out;
  }
  util::Shape shape(in);
  for (size_t d = 0; d < kSpatial; ++d) {
    const size_t at = rank - kSpatial + d;
    if (!util::require(ctx, output_size[d] >= 0 && output_size[d] <= INT32_MAX,
                       "an entry of output_size is out of range") ||
        !util::require(ctx, in.size(static_cast<ssize_t>(at)) > 0, "the image must not be empty")) {
      return out;
    }
    shape.sizes[at] = static_cast<SizesType>(output_size[d]);
  }
  if (!util::resize(ctx, shape, out)) {
    return out;
  }
  const util::View source = util::as_volume(in, kSpatial);
  const util::View target = util::as_volume(out, kSpatial);
  const auto windows = [&](size_t d, int64_t index) {
    return util::adaptive_window(static_cast<int64_t>(source.size[2 + d]),
                                 static_cast<int64_t>(target.size[2 + d]), index);
  };
  util::with_arithmetic_type(in.scalar_type(), [&](auto zero) {
    util::average_volume<decltype(zero)>(source, target, windows, 0);
  });
  return out;
}

}  // namespace torch::executor::native
