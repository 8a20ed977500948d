#include <cmath>

#include <executorch/kernels/portable/cpu/util/upsample.h>
#include <executorch/kernels/portable/cpu/util/view.h>

namespace torch::executor::native {
namespace {

/// The input indices [first, first + count) that an output index averages, with a triangle's
/// weights.
struct Support {
  size_t first;
  size_t count;
  double center;
  double inverse_width;
  double total;

  Support(size_t out, size_t in_size, double scale) {
    const double width = scale >= 1 ? scale : 1;
    center = scale * (static_cast<double>(out) + 0.5);
    inverse_width = 1 / width;
    const double low = center - width + 0.5;
    const double high = center + width + 0.5;
    // A program may give any scale; beyond the image there is nothing to average.
    const double limit = static_cast<double>(in_size);
    first = low < 0 ? 0 : low > limit ? in_size : static_cast<size_t>(low);
    const size_t end = high > limit ? in_size : static_cast<size_t>(high);
    count = end > first ? end - first : 0;
    total = 1;
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
      sum += weight(i);
    }
    total = sum != 0 ? sum : 1;
  }

  double weight(size_t i) const {
    const double x = std::fabs((static_cast<double>(first + i) - center + 0.5) * inverse_width);
    return (x < 1 ? 1 - x : 0) / total;
  }
};

double scale_of(size_t in, size_t out, bool align_corners, const optional<double>& factor) {
  if (align_corners) {
    return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
  }
  return factor.has_value() && *factor > 0 ? 1 / *factor
                                           : static_cast<double>(in) / static_cast<double>(out);
}

double average(const util::View& plane, const Support& y, const Support& x) {
  double sum = 0;
  for (size_t i = 0; i < y.count; ++i) {
    double line = 0;
    for (size_t j = 0; j < x.count; ++j) {
      const ptrdiff_t offset = static_cast<ptrdiff_t>(y.first + i) * plane.stride[0] +
                               static_cast<ptrdiff_t>(x.first + j) * plane.stride[1];
      double value;
      util::load(util::Compute::kDouble, plane.dtype,
                 plane.data + offset * static_cast<ptrdiff_t>(plane.element_size), 1, 1, &value);
      line += value * x.weight(j);
    }
    sum += line * y.weight(i);
  }
  return sum;
}

}  // namespace

Tensor& _upsample_bilinear2d_aa_out(KernelRuntimeContext& ctx, const Tensor& in,
                                    IntArrayRef output_size, bool align_corners,
                                    optional<double> scales_h, optional<double> scales_w,
                                    Tensor& out) {
  util::UpsampleDim dim[2];
  if (!util::require_floating(ctx, in) ||
      !util::check_upsample(ctx, in, output_size, OptionalArrayRef<double>(), dim, out)) {
    return out;
  }
  const util::View source(in);
  const util::View target(out);
  const double scale_h = scale_of(source.size[2], target.size[2], align_corners, scales_h);
  const double scale_w = scale_of(source.size[3], target.size[3], align_corners, scales_w);
  if (!util::require(ctx, scale_h < 1e9 && scale_w < 1e9, "a scale is out of range")) {
    return out;
  }
  for (size_t n = 0; n < source.size[0]; ++n) {
    for (size_t c = 0; c < source.size[1]; ++c) {
      const util::View from = source.select(0, n).select(0, c);
      const util::View to = target.select(0, n).select(0, c);
      for (size_t h = 0; h < to.size[0]; ++h) {
        const Support y(h, from.size[0], scale_h);
        for (size_t w = 0; w < to.size[1]; ++w) {
          const double value = average(from, y, Support(w, from.size[1], scale_w));
          const ptrdiff_t offset =
              static_cast<ptrdiff_t>(h) * to.stride[0] + static_cast<ptrdiff_t>(w) * to.stride[1];
          util::store(util::Compute::kDouble, to.dtype, &value, 1,
                      to.data + offset * static_cast<ptrdiff_t>(to.element_size));
        }
      }
    }
  }
  return out;
}

}  // namespace torch::executor::native
