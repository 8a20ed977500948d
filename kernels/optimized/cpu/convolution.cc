#include <cstring>

#include <executorch/kernels/optimized/cpu/engine.h>
#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/cpu/util/convolution_impl.h>
#include <executorch/kernels/portable/cpu/util/parallel.h>

namespace torch::executor::native::optimized {
namespace {

using util::Convolution;
using util::ConvolutionDim;
using util::ConvolutionImage;

/// The widest tile of any instruction set.
constexpr size_t kMostColumns = 48;
constexpr size_t kMostRows = 8;
/// Multiplications below which a thread of its own does not pay.
constexpr size_t kGrain = 200000;
/// Scratch memory for a strip of the image, and on the stack for one channel's.
constexpr size_t kStripElements = 768 * 1024 / sizeof(float);
constexpr size_t kChannelElements = 24 * 1024 / sizeof(float);
/// Taps of a depthwise convolution.
constexpr size_t kMostTaps = 64;

size_t min(size_t a, size_t b) { return a < b ? a : b; }

size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

/// Copies few elements: a call would take longer.
inline void copy(const float* from, size_t n, float* to) {
  constexpr size_t kStep = 4;
  if (n < kStep) {
    for (size_t i = 0; i < n; ++i) {
      to[i] = from[i];
    }
    return;
  }
  for (size_t i = 0; i + kStep < n; i += kStep) {
    std::memcpy(to + i, from + i, kStep * sizeof(float));
  }
  std::memcpy(to + n - kStep, from + n - kStep, kStep * sizeof(float));
}

/**
 * How a strip of output lines sees its input: a copy with the padding written out, in which
 * neighbouring pixels are neighbours in memory whatever the stride. A stride of 2 takes the even
 * and the odd lines and columns apart. Then element k of the inner dimension of output pixel (line,
 * x) lies at offset[k] + line * pitch + x, and pixels of several lines are one long vector, with a
 * few columns between the lines that no one uses.
 */
struct Strip {
  /// The most phases of a line.
  static constexpr size_t kPhases = 4;

  ConvolutionDim height;
  ConvolutionDim width;
  size_t phases[2];  // by height and width
  size_t pitch;
  size_t lines;  // of output
  size_t plane_lines;

  static size_t reach(const ConvolutionDim& d) {
    return static_cast<size_t>((d.kernel - 1) * d.dilation);
  }
  static size_t phases_of(const ConvolutionDim& d) {
    return min(static_cast<size_t>(d.stride), reach(d) + 1);
  }

  Strip(const Convolution& conv, size_t channels, size_t elements)
      : height(conv.dim[1]), width(conv.dim[2]) {
    phases[0] = phases_of(height);
    phases[1] = phases_of(width);
    pitch = static_cast<size_t>(width.out) + reach(width) / static_cast<size_t>(width.stride);
    const size_t more = reach(height) / static_cast<size_t>(height.stride);
    const size_t per_line = channels * phases[0] * phases[1] * pitch;
    const size_t fitting = elements / per_line;
    lines = min(static_cast<size_t>(height.out), fitting > more ? fitting - more : 0);
    plane_lines = lines + more;
    for (size_t phase = 0; phase < phases[1] && phase < kPhases; ++phase) {
      valid_[phase] = util::valid_range(static_cast<int64_t>(phase) - width.padding, width.stride,
                                        width.in, static_cast<int64_t>(pitch));
    }
  }

  size_t plane() const { return plane_lines * pitch; }
  size_t channel() const { return phases[0] * phases[1] * plane(); }

  /// Offset of a tap within a channel.
  size_t tap(size_t h, size_t w) const {
    const size_t down = h * static_cast<size_t>(height.dilation);
    const size_t right = w * static_cast<size_t>(width.dilation);
    const size_t sh = static_cast<size_t>(height.stride);
    const size_t sw = static_cast<size_t>(width.stride);
    return (down % sh * phases[1] + right % sw) * plane() + down / sh * pitch + right / sw;
  }

  /// Offsets of all taps of a channel; `at` is the channel's own.
  int32_t* set_offsets(size_t at, int32_t* offset) const {
    for (int64_t h = 0; h < height.kernel; ++h) {
      for (int64_t w = 0; w < width.kernel; ++w) {
        *offset++ = static_cast<int32_t>(at + tap(static_cast<size_t>(h), static_cast<size_t>(w)));
      }
    }
    return offset;
  }

  /// Copies what output lines [first, first + count) read of a channel.
  void fill(const float* in, size_t first, size_t count, float* to) const {
    const int64_t top = static_cast<int64_t>(first) * height.stride - height.padding;
    const size_t used = count + plane_lines - lines;
    for (size_t ph = 0; ph < phases[0]; ++ph) {
      for (size_t pw = 0; pw < phases[1]; ++pw, to += plane()) {
        for (size_t y = 0; y < used; ++y) {
          const int64_t line =
              top + static_cast<int64_t>(y) * height.stride + static_cast<int64_t>(ph);
          if (line < 0 || line >= height.in) {
            std::memset(to + y * pitch, 0, pitch * sizeof(float));
          } else {
            fill_line(in + line * static_cast<int64_t>(height.in_stride), pw, to + y * pitch);
          }
        }
      }
    }
  }

 private:
  void fill_line(const float* in, size_t phase, float* to) const {
    const int64_t start = static_cast<int64_t>(phase) - width.padding;
    const util::ValidRange valid = valid_[phase];
    for (int64_t x = 0; x < valid.begin; ++x) {
      to[x] = 0;
    }
    const float* from = in + start + valid.begin * width.stride;
    const size_t count = static_cast<size_t>(valid.end - valid.begin);
    if (width.stride == 1) {
      simd->copy(from, count, to + valid.begin);
    } else if (width.stride == 2) {
      simd->even(from, count, to + valid.begin);
    } else {
      for (size_t x = 0; x < count; ++x) {
        to[valid.begin + static_cast<int64_t>(x)] = from[static_cast<int64_t>(x) * width.stride];
      }
    }
    for (int64_t x = valid.end; x < static_cast<int64_t>(pitch); ++x) {
      to[x] = 0;
    }
  }

  util::ValidRange valid_[kPhases];
};

/// Some neighbouring pixels of a tile that lie in one output line.
struct Segment {
  size_t from;  // in the tile
  size_t count;
  ptrdiff_t to;  // in the output
};

/**
 * Finds the pixels among `columns` results from position `at` of the long vector of lines of
 * `pitch`, of which the first `width` are pixels. @returns how many segments there are.
 */
size_t find_pixels(size_t at, size_t columns, size_t pitch, size_t width, ptrdiff_t line_stride,
                   Segment* segments) {
  size_t line = at / pitch;
  size_t x = at - line * pitch;
  size_t found = 0;
  for (size_t done = 0; done < columns; ++line, x = 0) {
    const size_t left = min(pitch - x, columns - done);
    if (x < width) {
      segments[found++] = {done, min(width - x, left),
                           static_cast<ptrdiff_t>(line) * line_stride + static_cast<ptrdiff_t>(x)};
    }
    done += left;
  }
  return found;
}

/// What all kinds have in common: floats, two spatial dimensions, contiguous.
bool is_plain(const ConvolutionImage& image) {
  const Convolution& conv = *image.conv;
  const ConvolutionDim& depth = conv.dim[0];
  const ConvolutionDim& height = conv.dim[1];
  const ConvolutionDim& width = conv.dim[2];
  const ptrdiff_t taps = static_cast<ptrdiff_t>(height.kernel * width.kernel);
  return image.in_dtype == ScalarType::Float &&
         (image.bias == nullptr || image.bias_dtype == ScalarType::Float) && !conv.transposed &&
         depth.in == 1 && depth.out == 1 && depth.kernel == 1 && depth.padding == 0 &&
         width.in_stride == 1 && width.out_stride == 1 &&
         (conv.in_channels == 1 || image.weight_stride[1] == taps) &&
         (width.kernel == 1 || width.weight_stride == 1) &&
         (height.kernel == 1 || height.weight_stride == static_cast<ptrdiff_t>(width.kernel)) &&
         height.in_stride > 0 && Strip::phases_of(width) <= Strip::kPhases;
}

const float* floats(const char* bytes) { return reinterpret_cast<const float*>(bytes); }

/// One group.
struct Group {
  const float* in;
  const float* weight;
  const float* bias;
  float* out;

  Group(const ConvolutionImage& image, size_t index) {
    const Convolution& conv = *image.conv;
    const ptrdiff_t first_in = static_cast<ptrdiff_t>(index * conv.in_channels);
    const ptrdiff_t first_out = static_cast<ptrdiff_t>(index * conv.out_channels);
    in = floats(image.in) + first_in * image.in_channel_stride;
    weight = floats(image.weight) + first_out * image.weight_stride[0];
    bias = image.bias == nullptr ? nullptr : floats(image.bias) + first_out;
    out = reinterpret_cast<float*>(image.out) + first_out * image.out_channel_stride;
  }
};

/// Without neighbours a convolution is a product of the weight and the image.
bool convolve_pointwise(const ConvolutionImage& image) {
  const Convolution& conv = *image.conv;
  for (size_t g = 0; g < conv.groups; ++g) {
    const Group group(image, g);
    const util::FloatProduct product = {conv.out_channels,
                                        static_cast<size_t>(conv.dim[2].out),
                                        conv.in_channels,
                                        group.weight,
                                        image.weight_stride[0],
                                        1,
                                        group.in,
                                        image.in_channel_stride,
                                        1,
                                        group.out,
                                        image.out_channel_stride,
                                        1,
                                        group.bias,
                                        1,
                                        0};
    if (!multiply(product)) {
      return false;  // as the first group already does
    }
  }
  return true;
}

/// Every output channel reads one input channel.
class Depthwise {
 public:
  explicit Depthwise(const ConvolutionImage& image)
      : image_(image), conv_(*image.conv), strip_(conv_, 1, kChannelElements) {}

  bool fits() const {
    return conv_.dim[1].kernel * conv_.dim[2].kernel <= static_cast<int64_t>(kMostTaps) &&
           strip_.lines > 0;
  }

  void run(size_t begin, size_t end) const {
    alignas(64) float scratch[kChannelElements + kMostColumns];
    int32_t offset[kMostTaps];
    // What vectors read beyond the last pixel is not used, but may cost time if it is not zero.
    std::memset(scratch + strip_.channel(), 0, kMostColumns * sizeof(float));
    strip_.set_offsets(0, offset);
    const size_t height = static_cast<size_t>(conv_.dim[1].out);
    for (size_t channel = begin; channel < end; ++channel) {
      const size_t in_channel = channel / conv_.out_channels;
      for (size_t first = 0; first < height; first += strip_.lines) {
        const size_t lines = min(strip_.lines, height - first);
        strip_.fill(
            floats(image_.in) + static_cast<ptrdiff_t>(in_channel) * image_.in_channel_stride,
            first, lines, scratch);
        run_lines(channel, first, lines, scratch, offset);
      }
    }
  }

 private:
  void run_lines(size_t channel, size_t first, size_t lines, const float* in,
                 const int32_t* offset) const {
    const ConvolutionDim& height = conv_.dim[1];
    const size_t width = static_cast<size_t>(conv_.dim[2].out);
    DepthwiseRows rows;
    rows.in = in;
    rows.offset = offset;
    rows.pitch = static_cast<ptrdiff_t>(strip_.pitch);
    rows.weight = floats(image_.weight) + static_cast<ptrdiff_t>(channel) * image_.weight_stride[0];
    rows.taps = static_cast<size_t>(height.kernel * conv_.dim[2].kernel);
    rows.bias = image_.bias == nullptr ? 0.0f : floats(image_.bias)[channel];
    rows.out = reinterpret_cast<float*>(image_.out) +
               static_cast<ptrdiff_t>(channel) * image_.out_channel_stride +
               static_cast<ptrdiff_t>(first) * height.out_stride;
    rows.out_stride = height.out_stride;
    if (width >= simd->lanes) {
      rows.rows = lines;
      rows.width = width;
      simd->depthwise(rows);
      return;
    }
    // Short lines: all of them as one.
    float* out = rows.out;
    const size_t count = (lines - 1) * strip_.pitch + width;
    constexpr size_t kMostStep = 64;
    alignas(64) float line[kMostStep];
    Segment segments[kMostStep];
    const size_t step = 4 * simd->lanes;
    rows.rows = 1;
    rows.width = step;
    rows.out = line;
    for (size_t at = 0; at < count; at += step) {
      rows.in = in + at;
      rows.width = min(step, divide_up(count - at, simd->lanes) * simd->lanes);
      simd->depthwise(rows);
      const size_t found =
          find_pixels(at, min(step, count - at), strip_.pitch, width, height.out_stride, segments);
      for (size_t i = 0; i < found; ++i) {
        copy(line + segments[i].from, segments[i].count, out + segments[i].to);
      }
    }
  }

  const ConvolutionImage& image_;
  const Convolution& conv_;
  const Strip strip_;
};

/// Any other convolution: tiles of output channels and pixels, for a strip of lines at a time.
class Dense {
 public:
  explicit Dense(const ConvolutionImage& image)
      : image_(image),
        conv_(*image.conv),
        strip_(conv_, conv_.in_channels, kStripElements),
        depth_(conv_.in_channels * static_cast<size_t>(conv_.dim[1].kernel * conv_.dim[2].kernel)),
        panel_columns_(simd->tile_vectors * simd->lanes) {}

  /// Elements of scratch memory; 0 if even one line takes more than there shall be.
  size_t scratch() const {
    return strip_.lines == 0 ? 0 : conv_.in_channels * strip_.channel() + kMostColumns + depth_;
  }

  void run(float* scratch) {
    strip_data_ = scratch;
    const size_t elements = conv_.in_channels * strip_.channel();
    std::memset(scratch + elements, 0, kMostColumns * sizeof(float));
    offset_ = reinterpret_cast<int32_t*>(scratch + elements + kMostColumns);
    int32_t* offset = offset_;
    for (size_t c = 0; c < conv_.in_channels; ++c) {
      offset = strip_.set_offsets(c * strip_.channel(), offset);
    }
    const size_t height = static_cast<size_t>(conv_.dim[1].out);
    for (size_t g = 0; g < conv_.groups; ++g) {
      const Group group(image_, g);
      for (size_t first = 0; first < height; first += strip_.lines) {
        run_strip(group, first, min(strip_.lines, height - first));
      }
    }
  }

 private:
  void run_strip(const Group& group, size_t first, size_t lines) const {
    const size_t per_channel = strip_.channel();
    util::parallel_for(
        conv_.in_channels, 1 + kGrain / 8 / per_channel, [&](size_t begin, size_t end) {
          for (size_t c = begin; c < end; ++c) {
            strip_.fill(group.in + static_cast<ptrdiff_t>(c) * image_.in_channel_stride, first,
                        lines, strip_data_ + c * per_channel);
          }
        });
    const size_t count = (lines - 1) * strip_.pitch + static_cast<size_t>(conv_.dim[2].out);
    const size_t panels = divide_up(count, panel_columns_);
    const size_t row_tiles = divide_up(conv_.out_channels, simd->tile_rows);
    // The weight is read again for each panel if it stays in the cache, else the strip for each
    // tile of rows.
    const bool rows_inside = conv_.out_channels * depth_ <= 256 * 1024 / sizeof(float);
    const size_t units = rows_inside ? panels : row_tiles;
    const size_t work = conv_.out_channels * depth_ * count / units;
    util::parallel_for(units, 1 + kGrain / (work + 1), [&](size_t begin, size_t end) {
      for (size_t unit = begin; unit < end; ++unit) {
        for (size_t other = 0; other < (rows_inside ? row_tiles : panels); ++other) {
          run_tile(group, first, count, rows_inside ? other : unit, rows_inside ? unit : other);
        }
      }
    });
  }

  void run_tile(const Group& group, size_t first, size_t count, size_t row_tile,
                size_t panel) const {
    alignas(64) float result[kMostRows * kMostColumns];
    float bias[kMostRows];
    const size_t row = row_tile * simd->tile_rows;
    const size_t at = panel * panel_columns_;
    const size_t rows = min(simd->tile_rows, conv_.out_channels - row);
    const size_t columns = min(panel_columns_, count - at);
    Tile tile;
    tile.left = group.weight + static_cast<ptrdiff_t>(row) * image_.weight_stride[0];
    tile.left_stride = image_.weight_stride[0];
    tile.right = strip_data_ + at;
    tile.offset = offset_;
    tile.depth = depth_;
    tile.out = result;
    tile.out_stride = kMostColumns;
    for (size_t r = 0; r < rows; ++r) {
      bias[r] = group.bias == nullptr ? 0.0f : group.bias[row + r];
    }
    tile.bias = bias;
    tile.start = Tile::Start::kRowBias;
    simd->tile(tile, rows, divide_up(columns, simd->lanes));
    const ConvolutionDim& height = conv_.dim[1];
    float* out = group.out + static_cast<ptrdiff_t>(row) * image_.out_channel_stride +
                 static_cast<ptrdiff_t>(first) * height.out_stride;
    Segment segments[kMostColumns];
    const size_t found =
        find_pixels(at, columns, strip_.pitch, static_cast<size_t>(conv_.dim[2].out),
                    height.out_stride, segments);
    for (size_t r = 0; r < rows; ++r) {
      float* to = out + static_cast<ptrdiff_t>(r) * image_.out_channel_stride;
      for (size_t i = 0; i < found; ++i) {
        copy(result + r * kMostColumns + segments[i].from, segments[i].count, to + segments[i].to);
      }
    }
  }

  const ConvolutionImage& image_;
  const Convolution& conv_;
  const Strip strip_;
  const size_t depth_;
  const size_t panel_columns_;
  float* strip_data_ = nullptr;
  int32_t* offset_ = nullptr;
};

}  // namespace

bool convolve(KernelRuntimeContext& context, const ConvolutionImage& image) {
  if (!is_plain(image)) {
    return false;
  }
  const Convolution& conv = *image.conv;
  const ConvolutionDim& height = conv.dim[1];
  const ConvolutionDim& width = conv.dim[2];
  if (conv.in_channels == 1 && conv.out_channels < 4) {
    const Depthwise depthwise(image);
    if (!depthwise.fits()) {
      return false;
    }
    const size_t work = static_cast<size_t>(height.out * width.out * height.kernel * width.kernel);
    util::parallel_for(conv.groups * conv.out_channels, 1 + kGrain / (work + 1),
                       [&](size_t begin, size_t end) { depthwise.run(begin, end); });
    return true;
  }
  // The convolution was checked, and flattened if it is pointwise.
  if (height.kernel == 1 && width.kernel == 1 && height.in == 1 && height.out == 1 &&
      height.padding == 0 && width.padding == 0 && width.stride == 1) {
    return convolve_pointwise(image);
  }
  Dense dense(image);
  const size_t elements = dense.scratch();
  if (elements == 0 || !context.has_temp_allocator()) {
    return false;
  }
  const auto memory = context.allocate_temp(elements * sizeof(float), 64);
  if (!memory.ok()) {
    return false;
  }
  dense.run(static_cast<float*>(memory.get()));
  return true;
}

}  // namespace torch::executor::native::optimized
