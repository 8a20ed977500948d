#include <executorch/kernels/portable/cpu/util/shape.h>
#include <executorch/kernels/portable/cpu/util/volume.h>

namespace torch::executor::native {
namespace {

/// The two input indices that an output index lies between, and the second one's share.
struct Between {
  int64_t index[2];
  double share[2];

  Between(size_t out, size_t in_size, size_t out_size, bool align_corners,
          const optional<double>& factor) {
    double at = 0;
    if (!align_corners) {
      const double scale = factor.has_value() && *factor > 0
                               ? 1 / *factor
                               : static_cast<double>(in_size) / static_cast<double>(out_size);
      at = (static_cast<double>(out) + 0.5) * scale - 0.5;
    } else if (out_size > 1) {
      at = static_cast<double>(out) *
           (static_cast<double>(in_size - 1) / static_cast<double>(out_size - 1));
    }
    // A program may give any factor.
    const double last = static_cast<double>(in_size - 1);
    at = at > 0 ? (at < last ? at : last) : 0;
    index[0] = static_cast<int64_t>(at);
    index[1] = index[0] + 1 < static_cast<int64_t>(in_size) ? index[0] + 1 : index[0];
    share[1] = at - static_cast<double>(index[0]);
    share[0] = 1 - share[1];
  }
};

}  // namespace

Tensor& upsample_trilinear3d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                 IntArrayRef output_size, bool align_corners,
                                 optional<double> scales_d, optional<double> scales_h,
                                 optional<double> scales_w, Tensor& out) {
  if (!util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, in.dim() == 5, "the volume must have rank 5") ||
      !util::require(ctx, output_size.size() == 3, "output_size must have three entries")) {
    return out;
  }
  util::Shape shape(in);
  for (size_t d = 0; d < 3; ++d) {
    if (!util::require(ctx, in.size(2 + d) > 0 && output_size[d] > 0 && output_size[d] <= INT32_MAX,
                       "a size of the volume is out of range")) {
      return out;
    }
    shape.sizes[2 + d] = static_cast<SizesType>(output_size[d]);
  }
  if (!util::resize(ctx, shape, out)) {
    return out;
  }
  const util::View source(in);
  const util::View target(out);
  util::for_each_in_volume(target, [&](size_t n, size_t c, size_t d, size_t h, size_t w) {
    const Between z(d, source.size[2], target.size[2], align_corners, scales_d);
    const Between y(h, source.size[3], target.size[3], align_corners, scales_h);
    const Between x(w, source.size[4], target.size[4], align_corners, scales_w);
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const int i = corner >> 2;
      const int j = (corner >> 1) & 1;
      const int k = corner & 1;
      const ptrdiff_t at = util::volume_offset(source, n, c, z.index[i], y.index[j], x.index[k]);
      sum += z.share[i] * y.share[j] * x.share[k] * util::get_element<double>(source, at);
    }
    util::put_element(target,
                      util::volume_offset(target, n, c, static_cast<int64_t>(d),
                                          static_cast<int64_t>(h), static_cast<int64_t>(w)),
                      sum);
  });
  return out;
}

}  // namespace torch::executor::native
