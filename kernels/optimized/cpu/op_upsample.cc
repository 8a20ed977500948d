#include <cmath>
#include <cstring>

#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/upsample.h>

// Float images, contiguous or channels last. An output line mixes a few lines that are resampled
// along the width and kept until no further one needs them.

namespace torch::executor::native {
namespace {

using optimized::simd;
using util::UpsampleDim;

/// The most taps along a dimension.
constexpr size_t kMostTaps = 4;
/// Columns that are resampled at a time.
constexpr size_t kBlock = 512;
/// Elements of a block of pixels that are kept of a line.
constexpr size_t kKept = 2048;
/// The fewest multiplications that are worth a thread.
constexpr size_t kGrain = 32768;

/// How an image lies in memory: `planes` of lines of pixels of `channels` elements.
struct Layout {
  size_t planes;
  size_t channels;
};

/// The layout of both tensors, if it is the same and one of the two; else `planes` is 0.
Layout layout_of(const Tensor& in, const Tensor& out) {
  const size_t n = static_cast<size_t>(in.size(0));
  const size_t c = static_cast<size_t>(in.size(1));
  if (util::is_contiguous(in) && util::is_contiguous(out)) {
    return {n * c, 1};
  }
  constexpr uint8_t kLast[] = {0, 2, 3, 1};
  const auto is_last = [&](const Tensor& t) {
    const auto order = t.dim_order();
    return order[0] == kLast[0] && order[1] == kLast[1] && order[2] == kLast[2];
  };
  return is_last(in) && is_last(out) ? Layout{n, c} : Layout{0, 0};
}

/// The input pixels that an output pixel mixes along a dimension.
struct Taps {
  int32_t index[kMostTaps];
  float weight[kMostTaps];

  /// Two for linear, four for cubic; pixels outside of the image are the one at its edge.
  Taps(const UpsampleDim& dim, size_t out, bool align_corners, size_t taps) {
    const double scale = util::upsample_scale(dim, align_corners, true);
    double at = util::upsample_position(out, scale, align_corners, true);
    at = taps == 2 && at < 0 ? 0 : at;
    const double last = static_cast<double>(dim.in - 1);
    const double below = std::floor(at) < last ? std::floor(at) : last;
    double share = at - below;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    for (size_t k = 0; k < taps; ++k) {
      const double place = below + static_cast<double>(k) - static_cast<double>(taps / 2 - 1);
      index[k] = static_cast<int32_t>(place < 0 ? 0 : place > last ? last : place);
    }
    if (taps == 2) {
      weight[0] = 1 - static_cast<float>(share);
      weight[1] = static_cast<float>(share);
    } else {
      weight[0] = cubic_outer(1 + share);
      weight[1] = cubic_inner(share);
      weight[2] = cubic_inner(1 - share);
      weight[3] = cubic_outer(2 - share);
    }
  }

 private:
  // Keys' cubic by the distance, up to 1 and beyond it.
  static constexpr double kParameter = -0.75;
  static float cubic_inner(double x) {
    return static_cast<float>(((kParameter + 2) * x - (kParameter + 3)) * x * x + 1);
  }
  static float cubic_outer(double x) {
    return static_cast<float>((((x - 5) * x + 8) * x - 4) * kParameter);
  }
};

/// One call of an operator.
struct Resample {
  const float* in;
  float* out;
  UpsampleDim dim[2];
  Layout layout;
  bool align_corners;
  size_t taps;

  size_t in_line() const { return dim[1].in * layout.channels; }
  size_t out_line() const { return dim[1].out * layout.channels; }
  size_t lines() const { return layout.planes * dim[0].out; }

  void run() const {
    // Pixels of many channels are mixed as a whole.
    constexpr size_t kMany = 16;
    const bool many = layout.channels >= kMany;
    const size_t columns = many ? dim[1].out : out_line();
    const bool keeps = layout.channels <= kKept / 4;
    const size_t most = many && keeps ? kKept / layout.channels : kBlock;
    const size_t step = most < kBlock ? most : kBlock;
    util::parallel_for(lines(), 1 + kGrain / (out_line() * taps), [&](size_t begin, size_t end) {
      for (size_t first = 0; first < columns; first += step) {
        const size_t count = columns - first < step ? columns - first : step;
        const Columns block(*this, first, count, many ? 1 : layout.channels);
        if (!many) {
          run_columns(begin, end, first, block);
        } else if (keeps) {
          run_pixels(begin, end, first, block);
        } else {
          run_large_pixels(begin, end, first, block);
        }
      }
    });
  }

 private:
  /// What a block of neighbouring columns, or pixels, of the output mixes.
  struct Columns {
    size_t count;
    int32_t index[kMostTaps * kBlock];
    float weight[kMostTaps * kBlock];

    Columns(const Resample& resample, size_t first, size_t columns, size_t channels)
        : count(columns) {
      for (size_t i = 0; i < count; ++i) {
        const Taps x(resample.dim[1], (first + i) / channels, resample.align_corners,
                     resample.taps);
        for (size_t k = 0; k < resample.taps; ++k) {
          const size_t column = static_cast<size_t>(x.index[k]) * channels + (first + i) % channels;
          index[k * kBlock + i] = static_cast<int32_t>(column);
          weight[k * kBlock + i] = x.weight[k];
        }
      }
    }
  };

  /// Lines [begin, end), of each the block of columns from `first` on.
  void run_columns(size_t begin, size_t end, size_t first, const Columns& block) const {
    int32_t window[kBlock];
    simd->find_windows(block.index, kBlock, taps, block.count, window);
    const optimized::ColumnMix mix = {block.index, block.weight, kBlock, taps, block.count, window};
    run_lines<kBlock>(begin, end, block.count, first, [&](const float* line, float* to) {
      simd->mix_columns(line, in_line(), mix, to);
    });
  }

  /// The same for a block of pixels.
  void run_pixels(size_t begin, size_t end, size_t first, const Columns& block) const {
    const size_t channels = layout.channels;
    run_lines<kKept>(begin, end, block.count * channels, first * channels,
                     [&](const float* line, float* to) { mix_pixels(line, block, to); });
  }

  /// Mixes `count` elements of each of the lines [begin, end), from `at` on, out of what `resample`
  /// makes of lines of the input. Neighbouring output lines mix nearly the same lines; each has its
  /// place by its index.
  template <size_t kElements, typename Resample>
  void run_lines(size_t begin, size_t end, size_t count, size_t at, Resample resample) const {
    float kept[kMostTaps][kElements];
    size_t line_in[kMostTaps];
    for (size_t& line : line_in) {
      line = SIZE_MAX;
    }
    for (size_t line = begin; line < end; ++line) {
      const Taps y(dim[0], line % dim[0].out, align_corners, taps);
      const size_t plane = line / dim[0].out * dim[0].in;
      const float* mixed[kMostTaps];
      for (size_t k = 0; k < taps; ++k) {
        const size_t from = plane + static_cast<size_t>(y.index[k]);
        const size_t place = static_cast<size_t>(y.index[k]) % taps;
        if (line_in[place] != from) {
          resample(in + from * in_line(), kept[place]);
          line_in[place] = from;
        }
        mixed[k] = kept[place];
      }
      simd->mix_lines(mixed, y.weight, taps, count, out + line * out_line() + at);
    }
  }

  /// A line of the input, resampled along the width.
  void mix_pixels(const float* line, const Columns& block, float* to) const {
    const size_t channels = layout.channels;
    for (size_t i = 0; i < block.count; ++i) {
      const float* pixel[kMostTaps];
      float weight[kMostTaps];
      for (size_t k = 0; k < taps; ++k) {
        pixel[k] = line + static_cast<size_t>(block.index[k * kBlock + i]) * channels;
        weight[k] = block.weight[k * kBlock + i];
      }
      simd->mix_lines(pixel, weight, taps, channels, to + i * channels);
    }
  }

  /// Lines [begin, end), of each the block of pixels from `first` on, one pixel at a time.
  void run_large_pixels(size_t begin, size_t end, size_t first, const Columns& block) const {
    const size_t channels = layout.channels;
    for (size_t line = begin; line < end; ++line) {
      const Taps y(dim[0], line % dim[0].out, align_corners, taps);
      const size_t plane = line / dim[0].out * dim[0].in;
      float* to = out + line * out_line() + first * channels;
      for (size_t column = 0; column < block.count; ++column) {
        const float* pixel[kMostTaps * kMostTaps];
        float weight[kMostTaps * kMostTaps];
        for (size_t i = 0; i < taps; ++i) {
          const float* from = in + (plane + static_cast<size_t>(y.index[i])) * in_line();
          for (size_t j = 0; j < taps; ++j) {
            const size_t at = j * kBlock + column;
            pixel[i * taps + j] = from + static_cast<size_t>(block.index[at]) * channels;
            weight[i * taps + j] = y.weight[i] * block.weight[at];
          }
        }
        simd->mix_lines(pixel, weight, taps * taps, channels, to + column * channels);
      }
    }
  }
};

/// Whether this is for the loops here. Both tensors passed `check_upsample`.
bool run_resample(const Tensor& in, const UpsampleDim* dim, bool align_corners, size_t taps,
                  const Tensor& out) {
  const Layout layout = layout_of(in, out);
  // The portable kernel refuses scales that are far out of range, or has nothing to do.
  if (layout.planes == 0 || out.numel() == 0 || !(dim[0].scale < 1e9) || !(dim[1].scale < 1e9) ||
      dim[1].in * layout.channels > INT32_MAX) {
    return false;
  }
  const Resample resample = {static_cast<const float*>(in.const_data_ptr()),
                             static_cast<float*>(out.mutable_data_ptr()),
                             {dim[0], dim[1]},
                             layout,
                             align_corners,
                             taps};
  resample.run();
  return true;
}

bool is_float_image(const Tensor& in, const Tensor& out) {
  return in.scalar_type() == ScalarType::Float && out.scalar_type() == ScalarType::Float &&
         in.dim() == 4 && out.dim() == 4;
}

/// The input index that an output index shows, as eager finds it.
template <typename Float>
size_t nearest_index(size_t index, const UpsampleDim& dim) {
  const Float scaled = std::floor(static_cast<Float>(index) * static_cast<Float>(dim.scale));
  const Float last = static_cast<Float>(dim.in - 1);
  return static_cast<size_t>(scaled > 0 ? (scaled < last ? scaled : last) : 0);
}

size_t nearest_index(ScalarType dtype, size_t index, const UpsampleDim& dim) {
  return dtype == ScalarType::Double ? nearest_index<double>(index, dim)
                                     : nearest_index<float>(index, dim);
}

/// to[i] = from[at[i]], pixels of `bytes`.
void pick_pixels(const char* from, const uint32_t* at, size_t n, size_t bytes, char* to) {
  if (bytes == sizeof(uint32_t)) {
    for (size_t i = 0; i < n; ++i) {
      std::memcpy(to + i * sizeof(uint32_t), from + at[i] * sizeof(uint32_t), sizeof(uint32_t));
    }
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    std::memcpy(to + i * bytes, from + at[i] * bytes, bytes);
  }
}

/// As above, for elements of 4 bytes or pixels of many.
bool run_nearest(const Tensor& in, const UpsampleDim* given, const Tensor& out) {
  UpsampleDim dim[] = {given[0], given[1]};
  for (UpsampleDim& d : dim) {
    // Eager looks at the factor only where lines are not copied or doubled.
    if (d.out == d.in || d.out == 2 * d.in) {
      d.scale = static_cast<double>(d.in) / static_cast<double>(d.out);
    }
  }
  const Layout layout = layout_of(in, out);
  const size_t bytes = layout.channels * static_cast<size_t>(in.element_size());
  if (layout.planes == 0 || out.numel() == 0 || bytes < sizeof(uint32_t)) {
    return false;
  }
  const char* from = static_cast<const char*>(in.const_data_ptr());
  char* to = static_cast<char*>(out.mutable_data_ptr());
  const size_t line_bytes = dim[1].out * bytes;
  const ScalarType dtype = in.scalar_type();
  util::parallel_for(
      layout.planes * dim[0].out, 1 + kGrain / line_bytes, [&](size_t begin, size_t end) {
        uint32_t columns[kBlock];
        for (size_t first = 0; first < dim[1].out; first += kBlock) {
          const size_t left = dim[1].out - first;
          const size_t n = left < kBlock ? left : kBlock;
          for (size_t i = 0; i < n; ++i) {
            columns[i] = static_cast<uint32_t>(nearest_index(dtype, first + i, dim[1]));
          }
          const char* previous = nullptr;
          size_t shown = SIZE_MAX;
          for (size_t line = begin; line < end; ++line) {
            const size_t source =
                line / dim[0].out * dim[0].in + nearest_index(dtype, line % dim[0].out, dim[0]);
            char* here = to + line * line_bytes + first * bytes;
            if (source == shown) {
              std::memcpy(here, previous, n * bytes);
            } else {
              pick_pixels(from + source * dim[1].in * bytes, columns, n, bytes, here);
            }
            shown = source;
            previous = here;
          }
        }
      });
  return true;
}

/// Whether bilinear (two taps) or bicubic (four) interpolation has written `out`, or failed.
template <typename Size, typename Scales>
bool resampled(KernelRuntimeContext& ctx, const Tensor& in, const Size& output_size,
               const Scales& scales, bool align_corners, size_t taps, Tensor& out) {
  UpsampleDim dim[2];
  return is_float_image(in, out) &&
         (!util::check_upsample(ctx, in, 2, output_size, scales, dim, out) ||
          run_resample(in, dim, align_corners, taps, out));
}

/// Whether the nearest pixels have been written to `out`, or that failed.
template <typename Size, typename Scales>
bool took_nearest(KernelRuntimeContext& ctx, const Tensor& in, const Size& output_size,
                  const Scales& scales, Tensor& out) {
  UpsampleDim dim[2];
  return in.dim() == 4 && out.dim() == 4 &&
         (!util::check_upsample(ctx, in, 2, output_size, scales, dim, out) ||
          run_nearest(in, dim, out));
}

}  // namespace

Tensor& opt_upsample_bilinear2d_vec_out(KernelRuntimeContext& ctx, const Tensor& in,
                                        OptionalArrayRef<int64_t> output_size, bool align_corners,
                                        OptionalArrayRef<double> scale_factors, Tensor& out) {
  if (resampled(ctx, in, output_size, scale_factors, align_corners, 2, out)) {
    return out;
  }
  return upsample_bilinear2d_vec_out(ctx, in, output_size, align_corners, scale_factors, out);
}

Tensor& opt_upsample_bilinear2d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                    IntArrayRef output_size, bool align_corners,
                                    optional<double> scales_h, optional<double> scales_w,
                                    Tensor& out) {
  const optional<double> scales[] = {scales_h, scales_w};
  if (resampled(ctx, in, output_size, scales, align_corners, 2, out)) {
    return out;
  }
  return upsample_bilinear2d_out(ctx, in, output_size, align_corners, scales_h, scales_w, out);
}

Tensor& opt_upsample_bicubic2d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                   IntArrayRef output_size, bool align_corners,
                                   optional<double> scales_h, optional<double> scales_w,
                                   Tensor& out) {
  const optional<double> scales[] = {scales_h, scales_w};
  if (resampled(ctx, in, output_size, scales, align_corners, 4, out)) {
    return out;
  }
  return upsample_bicubic2d_out(ctx, in, output_size, align_corners, scales_h, scales_w, out);
}

Tensor& opt_upsample_nearest2d_vec_out(KernelRuntimeContext& ctx, const Tensor& in,
                                       OptionalArrayRef<int64_t> output_size,
                                       OptionalArrayRef<double> scale_factors, Tensor& out) {
  if (took_nearest(ctx, in, output_size, scale_factors, out)) {
    return out;
  }
  return upsample_nearest2d_vec_out(ctx, in, output_size, scale_factors, out);
}

Tensor& opt_upsample_nearest2d_out(KernelRuntimeContext& ctx, const Tensor& in,
                                   IntArrayRef output_size, optional<double> scales_h,
                                   optional<double> scales_w, Tensor& out) {
  const optional<double> scales[] = {scales_h, scales_w};
  if (took_nearest(ctx, in, output_size, scales, out)) {
    return out;
  }
  return upsample_nearest2d_out(ctx, in, output_size, scales_h, scales_w, out);
}

}  // namespace torch::executor::native
