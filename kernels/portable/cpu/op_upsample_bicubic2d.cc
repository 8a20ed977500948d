#include <cmath>

#include <executorch/kernels/portable/cpu/util/element.h>
#include <executorch/kernels/portable/cpu/util/upsample.h>

namespace torch::executor::native {
namespace {

/// The four input indices around an output index, inside the image, and their shares.
struct Taps {
  ptrdiff_t offset[4];
  double share[4];

  Taps(size_t out, size_t in_size, double scale, bool align_corners, ptrdiff_t stride) {
    const double at = align_corners ? static_cast<double>(out) * scale
                                    : (static_cast<double>(out) + 0.5) * scale - 0.5;
    const double low = std::floor(at);
    const double t = at - low;
    const double last = static_cast<double>(in_size - 1);
    for (int i = 0; i < 4; ++i) {
      const double index = low - 1 + i;
      const double inside = index < 0 ? 0 : index > last ? last : index;
      offset[i] = static_cast<ptrdiff_t>(inside) * stride;
    }
    share[0] = far(t + 1);
    share[1] = near(t);
    share[2] = near(1 - t);
    share[3] = far(2 - t);
  }

 private:
  static constexpr double kA = -0.75;
  static double near(double x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; }
  static double far(double x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; }
};

double scale_of(size_t in, size_t out, bool align_corners, const optional<double>& factor) {
  if (align_corners) {
    return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
  }
  return factor.has_value() && *factor > 0 ? 1 / *factor
                                           : static_cast<double>(in) / static_cast<double>(out);
}

double interpolate(const util::View& plane, const Taps& y, const Taps& x) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    double line = 0;
    for (int j = 0; j < 4; ++j) {
      line += x.share[j] * util::get_element<double>(plane, y.offset[i] + x.offset[j]);
    }
    sum += y.share[i] * line;
  }
  return sum;
}

}  // namespace

Tensor& upsample_bicubic2d_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef output_size,
                               bool align_corners, optional<double> scales_h,
                               optional<double> scales_w, Tensor& out) {
  util::UpsampleDim dim[2];
  if (!util::require_floating(ctx, in) ||
      !util::check_upsample(ctx, in, output_size, OptionalArrayRef<double>(), dim, out)) {
    return out;
  }
  const util::View source(in);
  const util::View target(out);
  const double scale_h = scale_of(source.size[2], target.size[2], align_corners, scales_h);
  const double scale_w = scale_of(source.size[3], target.size[3], align_corners, scales_w);
  for (size_t n = 0; n < source.size[0]; ++n) {
    for (size_t c = 0; c < source.size[1]; ++c) {
      const util::View from = source.select(0, n).select(0, c);
      const util::View to = target.select(0, n).select(0, c);
      for (size_t h = 0; h < to.size[0]; ++h) {
        const Taps y(h, from.size[0], scale_h, align_corners, from.stride[0]);
        for (size_t w = 0; w < to.size[1]; ++w) {
          const Taps x(w, from.size[1], scale_w, align_corners, from.stride[1]);
          util::put_element(
              to,
              static_cast<ptrdiff_t>(h) * to.stride[0] + static_cast<ptrdiff_t>(w) * to.stride[1],
              interpolate(from, y, x));
        }
      }
    }
  }
  return out;
}

}  // namespace torch::executor::native
