#include <cmath>

#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
namespace {

enum Interpolation : int64_t { kBilinear = 0, kNearest = 1, kBicubic = 2 };
enum Padding : int64_t { kZeros = 0, kBorder = 1, kReflection = 2 };

double clip(double x, double size) { return x < 0 ? 0 : x > size - 1 ? size - 1 : x; }

/// Mirrors `x` at `low` and `high` until it lies between them.
double reflect(double x, double low, double high) {
  if (high <= low) {
    return 0;
  }
  const double span = high - low;
  const double distance = std::fabs(x - low);
  const double rest = std::fmod(distance, span);
  const bool forward = std::fmod(std::floor(distance / span), 2) == 0;
  return forward ? low + rest : high - rest;
}

/// How coordinates become pixels.
struct Sampler {
  util::View plane;  // H x W
  int64_t interpolation;
  int64_t padding;
  bool align_corners;

  /// From [-1, 1] to pixels.
  double unnormalize(double x, double size) const {
    return align_corners ? (x + 1) / 2 * (size - 1) : ((x + 1) * size - 1) / 2;
  }

  double pad(double x, double size) const {
    if (padding == kReflection) {
      x = align_corners ? reflect(x, 0, size - 1) : reflect(x, -0.5, size - 0.5);
    }
    return padding == kZeros ? x : clip(x, size);
  }

  /// The pixel at integral coordinates; 0 outside.
  double at(double y, double x) const {
    if (!(y >= 0 && x >= 0 && y < static_cast<double>(plane.size[0]) &&
          x < static_cast<double>(plane.size[1]))) {
      return 0;
    }
    const ptrdiff_t offset =
        static_cast<ptrdiff_t>(y) * plane.stride[0] + static_cast<ptrdiff_t>(x) * plane.stride[1];
    double value;
    util::load(util::Compute::kDouble, plane.dtype,
               plane.data + offset * static_cast<ptrdiff_t>(plane.element_size), 1, 1, &value);
    return value;
  }

  double sample(double grid_y, double grid_x) const {
    const double height = static_cast<double>(plane.size[0]);
    const double width = static_cast<double>(plane.size[1]);
    const double raw_y = unnormalize(grid_y, height);
    const double raw_x = unnormalize(grid_x, width);
    if (interpolation == kBicubic) {
      return bicubic(raw_y, raw_x, height, width);
    }
    const double y = pad(raw_y, height);
    const double x = pad(raw_x, width);
    if (interpolation == kNearest) {
      return at(std::nearbyint(y), std::nearbyint(x));
    }
    const double y0 = std::floor(y);
    const double x0 = std::floor(x);
    const double dy = y - y0;
    const double dx = x - x0;
    return (at(y0, x0) * (1 - dx) + at(y0, x0 + 1) * dx) * (1 - dy) +
           (at(y0 + 1, x0) * (1 - dx) + at(y0 + 1, x0 + 1) * dx) * dy;
  }

  static void weights(double t, double* w) {
    constexpr double kA = -0.75;
    const auto near = [](double x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
    const auto far = [](double x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
    w[0] = far(t + 1);
    w[1] = near(t);
    w[2] = near(1 - t);
    w[3] = far(2 - t);
  }

  /// Pads each of the sixteen pixels on its own.
  double bicubic(double y, double x, double height, double width) const {
    const double y0 = std::floor(y);
    const double x0 = std::floor(x);
    double wy[4];
    double wx[4];
    weights(y - y0, wy);
    weights(x - x0, wx);
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        sum += wy[i] * wx[j] * at(pad(y0 - 1 + i, height), pad(x0 - 1 + j, width));
      }
    }
    return sum;
  }
};

double element(const util::View& v, size_t n, size_t h, size_t w, size_t last) {
  const ptrdiff_t offset =
      static_cast<ptrdiff_t>(n) * v.stride[0] + static_cast<ptrdiff_t>(h) * v.stride[1] +
      static_cast<ptrdiff_t>(w) * v.stride[2] + static_cast<ptrdiff_t>(last) * v.stride[3];
  double value;
  util::load(util::Compute::kDouble, v.dtype,
             v.data + offset * static_cast<ptrdiff_t>(v.element_size), 1, 1, &value);
  return value;
}

}  // namespace

Tensor& grid_sampler_2d_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& grid,
                            int64_t interpolation_mode, int64_t padding_mode, bool align_corners,
                            Tensor& out) {
  if (!util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, grid) ||
      !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx,
                     in.dim() == 4 && grid.dim() == 4 && in.size(0) == grid.size(0) &&
                         grid.size(3) == 2 && in.size(2) > 0 && in.size(3) > 0,
                     "needs an image [n, c, h, w] and a grid [n, oh, ow, 2]") ||
      !util::require(ctx,
                     interpolation_mode >= 0 && interpolation_mode <= 2 && padding_mode >= 0 &&
                         padding_mode <= 2,
                     "a mode is out of range")) {
    return out;
  }
  util::Shape shape;
  shape.push(in.size(0));
  shape.push(in.size(1));
  shape.push(grid.size(1));
  shape.push(grid.size(2));
  if (!util::resize(ctx, shape, out)) {
    return out;
  }
  const util::View source(in);
  const util::View target(out);
  const util::View places(grid);
  for (size_t n = 0; n < target.size[0]; ++n) {
    for (size_t c = 0; c < target.size[1]; ++c) {
      const Sampler sampler = {source.select(0, n).select(0, c), interpolation_mode, padding_mode,
                               align_corners};
      const util::View to = target.select(0, n).select(0, c);
      for (size_t h = 0; h < to.size[0]; ++h) {
        for (size_t w = 0; w < to.size[1]; ++w) {
          const double value =
              sampler.sample(element(places, n, h, w, 1), element(places, n, h, w, 0));
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
