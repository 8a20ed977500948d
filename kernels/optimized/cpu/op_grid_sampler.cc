#include <cmath>

#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// Bilinear sampling of contiguous Floats. Where a pixel comes from is calculated once for all
// channels.

namespace torch::executor::native {
namespace {

/// Pixels that are calculated at a time.
constexpr size_t kPixels = 256;
/// The fewest pixels of a channel that are worth a thread.
constexpr size_t kGrain = 4096;

/// Four neighbours and their weights for each of some pixels.
struct Taps {
  int32_t offset[4][kPixels];  // -1 outside of the image
  float weight[4][kPixels];
  bool all_inside;
};

/// As std::floor, which is a call where processors may lack the instruction.
float floor_of(float x) {
  constexpr float kWhole = 8388608.0f;  // 2^23: from here on there are no fractions
  if (!(x > -kWhole && x < kWhole)) {
    return x;
  }
  const float cut = static_cast<float>(static_cast<int32_t>(x));
  return cut > x ? cut - 1 : cut;
}

struct Image {
  float height;
  float width;
  bool border;
  bool align_corners;

  /// From [-1, 1] to pixels.
  float pixel_of(float x, float size) const {
    const float place = align_corners ? (x + 1) * ((size - 1) / 2) : (x + 1) * (size / 2) - 0.5f;
    return !border ? place : place > 0 ? (place < size - 1 ? place : size - 1) : 0;
  }

  /// The index before a coordinate; -2, whose neighbour is outside as well, for those that are
  /// none.
  static int32_t index_of(float before, float size) {
    return before >= -1 && before < size ? static_cast<int32_t>(before) : -2;
  }

  /// @param grid Pairs of x and y.
  void fill(const float* grid, size_t n, Taps& taps) const {
    const uint32_t rows = static_cast<uint32_t>(height);
    const uint32_t columns = static_cast<uint32_t>(width);
    int32_t signs = 0;
    for (size_t i = 0; i < n; ++i) {
      const float x = pixel_of(grid[2 * i], width);
      const float y = pixel_of(grid[2 * i + 1], height);
      const float left = floor_of(x);
      const float top = floor_of(y);
      const float weight_x[2] = {1 - (x - left), x - left};
      const float weight_y[2] = {1 - (y - top), y - top};
      const uint32_t column = static_cast<uint32_t>(index_of(left, width));
      const uint32_t row = static_cast<uint32_t>(index_of(top, height));
      for (uint32_t t = 0; t < 4; ++t) {
        const uint32_t at_x = column + t % 2;
        const uint32_t at_y = row + t / 2;
        const bool inside = at_x < columns && at_y < rows;
        taps.offset[t][i] = inside ? static_cast<int32_t>(at_y * columns + at_x) : -1;
        taps.weight[t][i] = weight_x[t % 2] * weight_y[t / 2];
        signs |= taps.offset[t][i];
      }
    }
    taps.all_inside = signs >= 0;
  }
};

/// Some channels of pixels, whose taps are read once for all of them.
template <bool kAllInside, size_t kChannels>
void mix(const float* image, size_t in_plane, const Taps& taps, size_t n, float* out,
         size_t out_plane) {
  for (size_t i = 0; i < n; ++i) {
    float sum[kChannels] = {};
    for (size_t t = 0; t < 4; ++t) {
      const ptrdiff_t at = taps.offset[t][i];
      const float weight = taps.weight[t][i];
      for (size_t c = 0; c < kChannels; ++c) {
        // Outside there are zeros; the weights of coordinates that are not finite are not.
        sum[c] +=
            (kAllInside || at >= 0 ? image[c * in_plane + static_cast<size_t>(at)] : 0.0f) * weight;
      }
    }
    for (size_t c = 0; c < kChannels; ++c) {
      out[c * out_plane + i] = sum[c];
    }
  }
}

/// All channels of an image.
template <bool kAllInside>
void mix_channels(const float* image, size_t channels, size_t in_plane, const Taps& taps, size_t n,
                  float* out, size_t out_plane) {
  constexpr size_t kTogether = 4;
  size_t c = 0;
  for (; c + kTogether <= channels; c += kTogether) {
    mix<kAllInside, kTogether>(image + c * in_plane, in_plane, taps, n, out + c * out_plane,
                               out_plane);
  }
  for (; c < channels; ++c) {
    mix<kAllInside, 1>(image + c * in_plane, in_plane, taps, n, out + c * out_plane, out_plane);
  }
}

bool is_plain(const Tensor& t) {
  return t.scalar_type() == ScalarType::Float && t.dim() == 4 && t.numel() > 0 &&
         util::is_contiguous(t);
}

bool run_grid_sampler(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& grid,
                      int64_t interpolation, int64_t padding, bool align_corners, Tensor& out) {
  constexpr int64_t kBilinear = 0;
  constexpr int64_t kBorder = 1;
  if (!is_plain(in) || !is_plain(grid) || interpolation != kBilinear || padding < 0 ||
      padding > kBorder || grid.size(3) != 2 || grid.size(0) != in.size(0) ||
      in.size(2) > INT32_MAX / in.size(3) || out.scalar_type() != ScalarType::Float) {
    return false;
  }
  util::Shape shape(in);
  shape.sizes[2] = static_cast<SizesType>(grid.size(1));
  shape.sizes[3] = static_cast<SizesType>(grid.size(2));
  if (!util::resize(ctx, shape, out)) {
    return true;
  }
  if (!util::is_contiguous(out)) {
    return false;
  }
  const Image image = {static_cast<float>(in.size(2)), static_cast<float>(in.size(3)),
                       padding == kBorder, align_corners};
  const size_t channels = static_cast<size_t>(in.size(1));
  const size_t in_plane = static_cast<size_t>(in.size(2) * in.size(3));
  const size_t plane = static_cast<size_t>(grid.size(1) * grid.size(2));
  const size_t blocks = (plane + kPixels - 1) / kPixels;
  const float* x = static_cast<const float*>(in.const_data_ptr());
  const float* places = static_cast<const float*>(grid.const_data_ptr());
  float* to = static_cast<float*>(out.mutable_data_ptr());
  const size_t units = static_cast<size_t>(in.size(0)) * blocks;
  util::parallel_for(units, 1 + kGrain / kPixels / channels, [=](size_t begin, size_t end) {
    Taps taps;
    for (size_t unit = begin; unit < end; ++unit) {
      const size_t image_at = unit / blocks;
      const size_t first = unit % blocks * kPixels;
      const size_t n = plane - first < kPixels ? plane - first : kPixels;
      image.fill(places + (image_at * plane + first) * 2, n, taps);
      const auto run = taps.all_inside ? mix_channels<true> : mix_channels<false>;
      run(x + image_at * channels * in_plane, channels, in_plane, taps, n,
          to + image_at * channels * plane + first, plane);
    }
  });
  return true;
}

}  // namespace

Tensor& opt_grid_sampler_2d_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& grid,
                                int64_t interpolation, int64_t padding, bool align_corners,
                                Tensor& out) {
  return run_grid_sampler(ctx, in, grid, interpolation, padding, align_corners, out)
             ? out
             : grid_sampler_2d_out(ctx, in, grid, interpolation, padding, align_corners, out);
}

}  // namespace torch::executor::native
