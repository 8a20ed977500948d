#include <executorch/kernels/portable/cpu/util/upsample.h>
#include <executorch/kernels/portable/cpu/util/view.h>

namespace torch::executor::native {
namespace {

/// The two input indices that an output index lies between, and the second one's share.
struct Between {
  size_t low;
  size_t high;
  double share;
};

Between between(size_t out, size_t in_size, size_t out_size, float scale, bool align_corners) {
  double at = 0;
  if (!align_corners) {
    at = (static_cast<double>(out) + 0.5) * scale - 0.5;
  } else if (out_size > 1) {
    at = static_cast<double>(out) *
         (static_cast<double>(in_size - 1) / static_cast<double>(out_size - 1));
  }
  at = at < 0 ? 0 : at;
  size_t low = static_cast<size_t>(at);
  low = low < in_size - 1 ? low : in_size - 1;
  const double share = at - static_cast<double>(low);
  return {low, low + 1 < in_size ? low + 1 : low, share < 1 ? share : 1};
}

double pixel(const util::View& plane, size_t h, size_t w) {
  const ptrdiff_t offset =
      static_cast<ptrdiff_t>(h) * plane.stride[0] + static_cast<ptrdiff_t>(w) * plane.stride[1];
  double value;
  util::load(util::Compute::kDouble, plane.dtype,
             plane.data + offset * static_cast<ptrdiff_t>(plane.element_size), 1, 1, &value);
  return value;
}

void upsample(const Tensor& in, bool align_corners, const util::UpsampleDim* dim,
              const Tensor& out) {
  const util::View source(in);
  const util::View target(out);
  for (size_t n = 0; n < source.size[0]; ++n) {
    for (size_t c = 0; c < source.size[1]; ++c) {
      const util::View from = source.select(0, n).select(0, c);
      const util::View to = target.select(0, n).select(0, c);
      for (size_t h = 0; h < to.size[0]; ++h) {
        const Between y = between(h, from.size[0], to.size[0], dim[0].scale, align_corners);
        for (size_t w = 0; w < to.size[1]; ++w) {
          const Between x = between(w, from.size[1], to.size[1], dim[1].scale, align_corners);
          const double top =
              pixel(from, y.low, x.low) * (1 - x.share) + pixel(from, y.low, x.high) * x.share;
          const double bottom =
              pixel(from, y.high, x.low) * (1 - x.share) + pixel(from, y.high, x.high) * x.share;
          const double value = top * (1 - y.share) + bottom * y.share;
          const ptrdiff_t offset =
              static_cast<ptrdiff_t>(h) * to.stride[0] + static_cast<ptrdiff_t>(w) * to.stride[1];
          util::store(util::Compute::kDouble, to.dtype, &value, 1,
                      to.data + offset * static_cast<ptrdiff_t>(to.element_size));
        }
      }
    }
  }
}

}  // namespace

Tensor& upsample_bilinear2d_vec_out(KernelRuntimeContext& ctx, const Tensor& in,
                                    OptionalArrayRef<int64_t> output_size, bool align_corners,
                                    OptionalArrayRef<double> scale_factors, Tensor& out) {
  util::UpsampleDim dim[2];
  if (util::require_floating(ctx, in) &&
      util::check_upsample(ctx, in, output_size, scale_factors, dim, out)) {
    upsample(in, align_corners, dim, out);
  }
  return out;
}

Tensor& upsample_bilinear2d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                IntArrayRef output_size, bool align_corners,
                                optional<double> scales_h, optional<double> scales_w, Tensor& out) {
  util::UpsampleDim dim[2];
  if (util::require_floating(ctx, in) &&
      util::check_upsample(ctx, in, output_size, scales_h, scales_w, dim, out)) {
    upsample(in, align_corners, dim, out);
  }
  return out;
}

}  // namespace torch::executor::native
