#include <cstring>

#include <executorch/kernels/optimized/cpu/engine.h>
#include <executorch/kernels/optimized/cpu/image_strip.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>

namespace torch::executor::native::optimized {
namespace {

using util::ConvolutionImage;

/// The widest tile of any instruction set.
constexpr size_t kMostColumns = 48;
constexpr size_t kMostRows = 8;
/// Multiplications below which a thread of its own does not pay.
constexpr size_t kGrain = 200000;
/// Scratch memory on the stack for one channel.
constexpr size_t kChannelElements = 24 * 1024 / sizeof(float);
/// Columns behind the last vector that are cheaper as scalar products.
constexpr size_t kMostRest = 4;
/// Taps of a depthwise convolution.
constexpr size_t kMostTaps = 64;

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
         height.in_stride > 0 && Strip::phases_of(width) <= Strip::kCopies;
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
    rows.rows = lines;
    rows.width = width;
    // Up to the end of the channel, if there is nothing between its lines.
    const bool dense = height.out_stride == static_cast<ptrdiff_t>(width);
    rows.room = dense ? (static_cast<size_t>(height.out) - first) * width : 0;
    simd->depthwise(rows);
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
        strip_(Strip::dense(conv_)),
        is_dense_(strip_.pitch == static_cast<size_t>(conv_.dim[2].out) &&
                  conv_.dim[1].out_stride == static_cast<ptrdiff_t>(strip_.pitch)),
        depth_(conv_.in_channels * static_cast<size_t>(conv_.dim[1].kernel * conv_.dim[2].kernel)),
        panel_columns_(simd->tile_vectors * simd->lanes) {}

  /// Elements of scratch memory; 0 if even one line takes more than there shall be.
  size_t scratch() const {
    const size_t elements =
        conv_.in_channels * strip_.channel() + kMostColumns + depth_ * (1 + kMostRest);
    return strip_.lines == 0 ? 0 : elements;
  }

  void run(float* scratch) {
    strip_data_ = scratch;
    const size_t elements = conv_.in_channels * strip_.channel();
    std::memset(scratch + elements, 0, kMostColumns * sizeof(float));
    offset_ = reinterpret_cast<int32_t*>(scratch + elements + kMostColumns);
    rest_ = scratch + elements + kMostColumns + depth_;
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
    const size_t all = (lines - 1) * strip_.pitch + static_cast<size_t>(conv_.dim[2].out);
    // As in products, a few last columns are cheaper as scalar products.
    const size_t last = all % simd->lanes;
    const size_t rest = is_dense_ && 4 * last <= simd->lanes ? last : 0;
    if (rest > 0) {
      run_rest(group, first, all - rest, rest);
    }
    if (all > rest) {
      run_panels(group, first, all - rest);
    }
  }

  void run_panels(const Group& group, size_t first, size_t count) const {
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

  /// Pixels [at, at + columns) of the strip, all channels.
  void run_rest(const Group& group, size_t first, size_t at, size_t columns) const {
    for (size_t j = 0; j < columns; ++j) {
      for (size_t k = 0; k < depth_; ++k) {
        rest_[j * depth_ + k] = strip_data_[static_cast<size_t>(offset_[k]) + at + j];
      }
    }
    float* out = group.out + first * strip_.pitch + at;
    const size_t rows = simd->tile_rows;
    const size_t work = rows * columns * depth_;
    util::parallel_for(
        divide_up(conv_.out_channels, rows), 1 + kGrain / 4 / work, [&](size_t begin, size_t end) {
          for (size_t row = begin * rows; row < min(end * rows, conv_.out_channels); row += rows) {
            const size_t height = min(rows, conv_.out_channels - row);
            for (size_t j = 0; j < columns; ++j) {
              float sum[kMostRows];
              simd->dot(group.weight + static_cast<ptrdiff_t>(row) * image_.weight_stride[0],
                        image_.weight_stride[0], height, rest_ + j * depth_, depth_, sum);
              for (size_t r = 0; r < height; ++r) {
                out[static_cast<ptrdiff_t>(row + r) * image_.out_channel_stride +
                    static_cast<ptrdiff_t>(j)] =
                    sum[r] + (group.bias == nullptr ? 0.0f : group.bias[row + r]);
              }
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
    const ConvolutionDim& height = conv_.dim[1];
    float* out = group.out + static_cast<ptrdiff_t>(row) * image_.out_channel_stride +
                 static_cast<ptrdiff_t>(first) * height.out_stride;
    if (is_dense_ && columns % simd->lanes == 0) {
      tile.out = out + at;
      tile.out_stride = image_.out_channel_stride;
      simd->tile(tile, rows, columns / simd->lanes);
      return;
    }
    simd->tile(tile, rows, divide_up(columns, simd->lanes));
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
  const bool is_dense_;  // neither the copy nor the output has gaps between lines
  const size_t depth_;
  const size_t panel_columns_;
  float* strip_data_ = nullptr;
  int32_t* offset_ = nullptr;
  float* rest_ = nullptr;
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
