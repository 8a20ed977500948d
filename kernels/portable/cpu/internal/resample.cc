#include <cmath>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/resample.h>
#include <executorch/kernels/portable/cpu/internal/volume.h>

namespace torch::executor::native::util {
namespace {

bool is_antialias(Filter filter) {
  return filter == Filter::kLinearAntialias || filter == Filter::kCubicAntialias;
}

bool is_cubic(Filter filter) {
  return filter == Filter::kCubic || filter == Filter::kCubicAntialias;
}

/// The filter's value at a distance of `x` pixels.
double response(Filter filter, double x) {
  x = std::fabs(x);
  if (!is_cubic(filter)) {
    return x < 1 ? 1 - x : 0;
  }
  // Keys' cubic; the antialiasing form has the parameter that image libraries have.
  const double a = filter == Filter::kCubic ? -0.75 : -0.5;
  if (x < 1) {
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  }
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

/// Whether positions for values that are calculated as C are rounded to float.
template <typename C>
constexpr bool kIsSingle = std::is_same<C, float>::value;

/// Where output pixel `out` lies among the input pixels; `low` is inside of the image.
struct Position {
  size_t low;
  double share;  // of the pixel behind `low`; [0, 1]

  Position(size_t out, size_t in_size, double scale, bool align_corners, bool single, bool clip) {
    double at = upsample_position(out, scale, align_corners, single);
    at = clip && at < 0 ? 0 : at;
    const double last = static_cast<double>(in_size - 1);
    const double floor = std::floor(at) < last ? std::floor(at) : last;
    before = floor < 0;
    low = before ? 0 : static_cast<size_t>(floor);
    share = at - floor;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
  }

  /// Only where positions are not clipped: `low` stands for the place before the first pixel.
  bool before;
};

/// The input pixels [first, first + count) that an output pixel mixes along one dimension.
class Window {
 public:
  Window() = default;
  Window(const UpsampleDim& dim, size_t out, bool align_corners, bool single, Filter filter)
      : filter_(filter), single_(single) {
    const double scale = upsample_scale(dim, align_corners, single);
    if (is_antialias(filter)) {
      widen(dim, out, scale);
    } else {
      surround(dim, out, scale, align_corners);
    }
  }

  double share(size_t i) const { return count <= kKept ? share_[i] : calculate(i) / total_; }

  size_t first = 0;
  size_t count = 0;

 private:
  /// Taps outside of the image count as the pixel at its edge.
  void surround(const UpsampleDim& dim, size_t out, double scale, bool align_corners) {
    const bool cubic = is_cubic(filter_);
    const Position at(out, dim.in, scale, align_corners, single_, !cubic);
    const int64_t taps = cubic ? 4 : 2;
    const int64_t begin = static_cast<int64_t>(at.low) - (at.before ? 1 : 0) - (taps / 2 - 1);
    const int64_t last = static_cast<int64_t>(dim.in) - 1;
    first = begin < 0 ? 0 : static_cast<size_t>(begin);
    const int64_t end = begin + taps - 1 < last ? begin + taps - 1 : last;
    count = static_cast<size_t>(end - static_cast<int64_t>(first) + 1);
    for (int64_t i = 0; i < taps; ++i) {
      const int64_t index = begin + i < 0 ? 0 : begin + i > last ? last : begin + i;
      share_[static_cast<size_t>(index) - first] +=
          response(filter_, static_cast<double>(i + 1 - taps / 2) - at.share);
    }
  }

  void widen(const UpsampleDim& dim, size_t out, double scale) {
    const double stretch = scale >= 1 ? scale : 1;
    const double support = (is_cubic(filter_) ? 2 : 1) * stretch;
    center_ = upsample_rounded(scale * (static_cast<double>(out) + 0.5), single_);
    inverse_width_ = upsample_rounded(1 / stretch, single_);
    // A program may give any scale; beyond the image there is nothing to mix.
    const double low = upsample_rounded(center_ - support + 0.5, single_);
    const double high = upsample_rounded(center_ + support + 0.5, single_);
    const double limit = static_cast<double>(dim.in);
    first = low < 0 ? 0 : low > limit ? dim.in : static_cast<size_t>(low);
    const size_t end = high > limit ? dim.in : high < 0 ? 0 : static_cast<size_t>(high);
    count = end > first ? end - first : 0;
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
      sum += calculate(i);
    }
    total_ = sum != 0 ? sum : 1;
    for (size_t i = 0; i < count && count <= kKept; ++i) {
      share_[i] = calculate(i) / total_;
    }
  }

  double calculate(size_t i) const {
    const double distance = static_cast<double>(first + i) - center_ + 0.5;
    return response(filter_, distance * inverse_width_);
  }

  /// Wider windows calculate their shares each time.
  static constexpr size_t kKept = 12;
  Filter filter_ = Filter::kLinear;
  bool single_ = false;
  double share_[kKept] = {};
  double center_ = 0;
  double inverse_width_ = 1;
  double total_ = 1;
};

/// Weights of bytes: integers with as many fractional bits as leave the largest one 16 bits.
class FixedPoint {
 public:
  FixedPoint(const UpsampleDim& dim, bool align_corners, Filter filter) {
    double most = 0;
    for (size_t out = 0; out < dim.out; ++out) {
      const Window window(dim, out, align_corners, false, filter);
      for (size_t i = 0; i < window.count; ++i) {
        most = window.share(i) > most ? window.share(i) : most;
      }
    }
    while (bits_ < 22 && 0.5 + most * static_cast<double>(1 << (bits_ + 1)) < 32768.0) {
      ++bits_;
    }
  }

  int32_t weight(double share) const {
    const double scaled = share * static_cast<double>(1 << bits_);
    return static_cast<int32_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  }

  /// What a sum of weighted bytes starts from.
  int32_t half() const { return bits_ == 0 ? 0 : 1 << (bits_ - 1); }

  int32_t byte(int32_t sum) const {
    const int32_t value = sum >> bits_;
    return value < 0 ? 0 : value > 255 ? 255 : value;
  }

 private:
  int bits_ = 0;
};

/// The mixture of a plane's pixels as C.
template <typename C>
C mix(const View& plane, const Window& y, const Window& x) {
  double sum = 0;
  for (size_t i = 0; i < y.count; ++i) {
    double line = 0;
    const ptrdiff_t row = static_cast<ptrdiff_t>(y.first + i) * plane.stride[0];
    for (size_t j = 0; j < x.count; ++j) {
      const ptrdiff_t at = row + static_cast<ptrdiff_t>(x.first + j) * plane.stride[1];
      line += static_cast<double>(get_element<C>(plane, at)) * x.share(j);
    }
    sum += line * y.share(i);
  }
  return static_cast<C>(sum);
}

uint8_t mix_bytes(const View& plane, const Window& y, const Window& x, const FixedPoint& vertical,
                  const FixedPoint& horizontal) {
  int32_t sum = vertical.half();
  for (size_t i = 0; i < y.count; ++i) {
    int32_t line = horizontal.half();
    const ptrdiff_t row = static_cast<ptrdiff_t>(y.first + i) * plane.stride[0];
    for (size_t j = 0; j < x.count; ++j) {
      const ptrdiff_t at = row + static_cast<ptrdiff_t>(x.first + j) * plane.stride[1];
      line += horizontal.weight(x.share(j)) *
              static_cast<int32_t>(static_cast<uint8_t>(plane.data[at]));
    }
    sum += vertical.weight(y.share(i)) * horizontal.byte(line);
  }
  return static_cast<uint8_t>(vertical.byte(sum));
}

/// Memory of plane `plane` of a batch of images, each of `channels` planes.
char* plane_of(const View& batch, size_t plane, size_t channels) {
  return element_at(batch, static_cast<ptrdiff_t>(plane / channels) * batch.stride[0] +
                               static_cast<ptrdiff_t>(plane % channels) * batch.stride[1]);
}

/// Calls `pixel(plane, y, x, place)` for each output pixel of images [N, C, H, W].
template <typename Pixel>
void for_each_pixel(const View& source, const View& target, const UpsampleDim* dim,
                    bool align_corners, bool single, Filter filter, const Pixel& pixel) {
  const size_t height = target.size[2];
  const size_t width = target.size[3];
  const size_t lines = target.size[0] * target.size[1] * height;
  parallel_for(lines, 1 + 1024 / width, [&](size_t begin, size_t end) {
    // All lines share the windows of some columns.
    constexpr size_t kMost = kChunkBytes / sizeof(Window) + 1;
    Window x[kMost];
    View from = source.select(0, 0).select(0, 0);
    View to = target.select(0, 0).select(0, 0);
    for (size_t first = 0; first < width; first += kMost) {
      const size_t columns = width - first < kMost ? width - first : kMost;
      for (size_t i = 0; i < columns; ++i) {
        x[i] = Window(dim[1], first + i, align_corners, single, filter);
      }
      for (size_t line = begin; line < end; ++line) {
        const size_t plane = line / height;
        from.data = plane_of(source, plane, target.size[1]);
        to.data = plane_of(target, plane, target.size[1]);
        const size_t h = line % height;
        const Window y(dim[0], h, align_corners, single, filter);
        for (size_t i = 0; i < columns; ++i) {
          pixel(from, y, x[i],
                element_at(to, static_cast<ptrdiff_t>(h) * to.stride[0] +
                                   static_cast<ptrdiff_t>(first + i) * to.stride[1]));
        }
      }
    }
  });
}

void resample_bytes(const View& source, const View& target, const UpsampleDim* dim,
                    bool align_corners, Filter filter) {
  const FixedPoint vertical(dim[0], align_corners, filter);
  const FixedPoint horizontal(dim[1], align_corners, filter);
  for_each_pixel(source, target, dim, align_corners, false, filter,
                 [&](const View& plane, const Window& y, const Window& x, char* to) {
                   *to = static_cast<char>(mix_bytes(plane, y, x, vertical, horizontal));
                 });
}

template <typename C>
void resample_floats(const View& source, const View& target, const UpsampleDim* dim,
                     bool align_corners, Filter filter) {
  for_each_pixel(source, target, dim, align_corners, kIsSingle<C>, filter,
                 [&](const View& plane, const Window& y, const Window& x, char* to) {
                   const C value = mix<C>(plane, y, x);
                   store(ComputeOf<C>::value, target.dtype, &value, 1, to);
                 });
}

/// Neighbouring columns of the output: their left and right input columns, and the right one's
/// share.
template <typename C>
struct Columns {
  static constexpr size_t kMost = kChunkBytes / 2 / sizeof(ptrdiff_t);
  size_t count;
  ptrdiff_t left[kMost];
  ptrdiff_t right[kMost];
  C share[kMost];

  Columns(const UpsampleDim& dim, size_t first, double scale, bool align_corners,
          ptrdiff_t stride) {
    count = dim.out - first < kMost ? dim.out - first : kMost;
    for (size_t i = 0; i < count; ++i) {
      const Position at(first + i, dim.in, scale, align_corners, kIsSingle<C>, true);
      left[i] = static_cast<ptrdiff_t>(at.low) * stride;
      right[i] = at.low + 1 < dim.in ? left[i] + stride : left[i];
      share[i] = static_cast<C>(at.share);
    }
  }
};

/// Adds a line of the input, resampled, to `acc`, or begins with it.
template <typename C>
void add_line(const View& source, ptrdiff_t from, const Columns<C>& columns, C weight, bool begin,
              C* acc) {
  const bool direct = source.dtype == native_dtype(ComputeOf<C>::value);
  const C* line = reinterpret_cast<const C*>(element_at(source, 0)) + from;
  for (size_t i = 0; i < columns.count; ++i) {
    const C left = direct ? line[columns.left[i]] : get_element<C>(source, from + columns.left[i]);
    const C right =
        direct ? line[columns.right[i]] : get_element<C>(source, from + columns.right[i]);
    const C value = left * (C(1) - columns.share[i]) + right * columns.share[i];
    acc[i] = begin ? value * weight : acc[i] + value * weight;
  }
}

/// A line of the output: the mixture of the input's lines around it.
template <typename C>
struct LineMixer {
  const View& source;
  const View& target;
  const UpsampleDim* dim;  // depth, height, width
  size_t spatial;
  bool align_corners;

  void run(size_t line, size_t first, const Columns<C>& columns) const {
    const VolumeLine at(target, line);
    const Position z = position(at.d, dim[0]);
    const Position y = position(at.h, dim[1]);
    C acc[Columns<C>::kMost];
    bool begin = true;
    // Dimensions that the image does not have have no second line.
    for (size_t i = 0; i < (spatial > 2 ? 2u : 1u); ++i) {
      for (size_t j = 0; j < (spatial > 1 ? 2u : 1u); ++j) {
        const double weight = (i == 0 ? 1 - z.share : z.share) * (j == 0 ? 1 - y.share : y.share);
        add_line(
            source,
            volume_offset(source, at.n, at.c, neighbour(z, i, dim[0]), neighbour(y, j, dim[1]), 0),
            columns, static_cast<C>(weight), begin, acc);
        begin = false;
      }
    }
    const ptrdiff_t to = volume_offset(target, at.n, at.c, static_cast<int64_t>(at.d),
                                       static_cast<int64_t>(at.h), static_cast<int64_t>(first));
    store(ComputeOf<C>::value, target.dtype, acc, columns.count, element_at(target, to),
          target.stride[4]);
  }

  Position position(size_t out, const UpsampleDim& along) const {
    const double scale = upsample_scale(along, align_corners, kIsSingle<C>);
    return Position(out, along.in, scale, align_corners, kIsSingle<C>, true);
  }

  static int64_t neighbour(const Position& at, size_t which, const UpsampleDim& dim) {
    return static_cast<int64_t>(at.low + (which == 1 && at.low + 1 < dim.in ? 1 : 0));
  }
};

template <typename C>
void resample_lines(const View& source, const View& target, size_t spatial, const UpsampleDim* dim,
                    bool align_corners) {
  const LineMixer<C> mixer = {source, target, dim, spatial, align_corners};
  const size_t lines = target.numel() / target.size[4];
  constexpr size_t kGrain = 8192;
  parallel_for(lines, 1 + kGrain / target.size[4], [&](size_t begin, size_t end) {
    for (size_t first = 0; first < target.size[4]; first += Columns<C>::kMost) {
      const Columns<C> columns(dim[2], first, upsample_scale(dim[2], align_corners, kIsSingle<C>),
                               align_corners, source.stride[4]);
      for (size_t line = begin; line < end; ++line) {
        mixer.run(line, first, columns);
      }
    }
  });
}

}  // namespace

Tensor& resample_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef output_size,
                     bool align_corners, const optional<double>* scales, Filter filter,
                     Tensor& out) {
  UpsampleDim dim[kMostSpatial];
  const bool bytes = in.scalar_type() == ScalarType::Byte;
  if ((!bytes && !require_floating(ctx, in)) ||
      !check_upsample(ctx, in, 2, output_size, scales, dim, out) ||
      !require(ctx, dim[0].scale < 1e9 && dim[1].scale < 1e9, "a scale is out of range")) {
    return out;
  }
  const View source(in);
  const View target(out);
  if (bytes) {
    resample_bytes(source, target, dim, align_corners, filter);
    return out;
  }
  if (in.scalar_type() == ScalarType::Double) {
    resample_floats<double>(source, target, dim, align_corners, filter);
  } else {
    resample_floats<float>(source, target, dim, align_corners, filter);
  }
  return out;
}

Tensor& resample_linear(KernelRuntimeContext& ctx, const Tensor& in, size_t spatial,
                        const UpsampleDim* dim, bool align_corners, Tensor& out) {
  const bool bytes = in.scalar_type() == ScalarType::Byte && spatial == 2;
  if ((!bytes && !require_floating(ctx, in)) || out.numel() == 0) {
    return out;
  }
  if (bytes) {
    resample_bytes(View(in), View(out), dim, align_corners, Filter::kLinear);
    return out;
  }
  UpsampleDim dims[kMostSpatial] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  for (size_t d = 0; d < spatial; ++d) {
    dims[kMostSpatial - spatial + d] = dim[d];
  }
  const View source = as_volume(in, spatial);
  const View target = as_volume(out, spatial);
  if (in.scalar_type() == ScalarType::Double) {
    resample_lines<double>(source, target, spatial, dims, align_corners);
  } else {
    resample_lines<float>(source, target, spatial, dims, align_corners);
  }
  return out;
}

Tensor& linear_out(KernelRuntimeContext& ctx, const Tensor& in, size_t spatial,
                   IntArrayRef output_size, bool align_corners, const optional<double>* scales,
                   Tensor& out) {
  UpsampleDim dim[kMostSpatial];
  if (check_upsample(ctx, in, spatial, output_size, scales, dim, out)) {
    resample_linear(ctx, in, spatial, dim, align_corners, out);
  }
  return out;
}

}  // namespace torch::executor::native::util
