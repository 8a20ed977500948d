#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/quantized/cpu/util/integer_layer.h>

// Convolutions in one and two dimensions; one dimension is two of which the first has one index.

namespace torch::executor::native {
namespace {

using namespace util;

/// A dimension in space.
struct Axis {
  int64_t in = 1;
  int64_t out = 1;
  int64_t taps = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
  ptrdiff_t in_stride = 0;
  ptrdiff_t out_stride = 0;
};

struct Geometry {
  Axis y;
  Axis x;
  size_t channels;  // of a group's output
  size_t inputs;    // of a group
  size_t groups;
  ptrdiff_t in_channel_stride;
  ptrdiff_t out_channel_stride;
};

int64_t parameter(IntArrayRef values, size_t axis) {
  return values.size() == 1 ? values[0] : values[axis];
}

/// @returns false after failing the kernel.
bool measure_axis(KernelRuntimeContext& ctx, const IntegerLayerArgs& args, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, size_t number, Axis& axis) {
  const ssize_t dim = static_cast<ssize_t>(number) + 2;
  axis.in = args.in.size(dim);
  axis.taps = args.weight.size(dim);
  axis.stride = parameter(stride, number);
  axis.padding = parameter(padding, number);
  axis.dilation = parameter(dilation, number);
  constexpr int64_t kMost = int64_t{1} << 30;
  if (!require(ctx,
               axis.stride > 0 && axis.dilation > 0 && axis.padding >= 0 && axis.stride < kMost &&
                   axis.dilation < kMost && axis.padding < kMost && axis.taps > 0,
               "stride and dilation must be above 0 and padding must not be below it")) {
    return false;
  }
  const int64_t room = axis.in + 2 * axis.padding - axis.dilation * (axis.taps - 1) - 1;
  axis.out = room / axis.stride + 1;
  return require(ctx, room >= 0, "the kernel must not be larger than the padded input");
}

bool has_parameters(IntArrayRef values, size_t axes) {
  return values.size() == 1 || values.size() == axes;
}

/// Writes inputs [first, first + n) that the output pixel at (oy, ox) depends on, in the order of
/// the weights: channel, line, column. Padding is 0.
template <typename Q>
void gather(const IntegerLayer& layer, const Geometry& g, const char* image, int64_t oy, int64_t ox,
            size_t first, size_t n, int16_t* to) {
  const size_t taps = static_cast<size_t>(g.y.taps * g.x.taps);
  const int64_t top = oy * g.y.stride - g.y.padding;
  const int64_t left = ox * g.x.stride - g.x.padding;
  const char* channel = image + static_cast<ptrdiff_t>(first / taps) * g.in_channel_stride;
  int64_t ky = static_cast<int64_t>(first % taps) / g.x.taps;
  int64_t kx = static_cast<int64_t>(first % taps) % g.x.taps;
  for (size_t i = 0; i < n;) {
    const int64_t iy = top + ky * g.y.dilation;
    const bool is_inside = iy >= 0 && iy < g.y.in;
    const Q* line =
        reinterpret_cast<const Q*>(channel + static_cast<ptrdiff_t>(iy) * g.y.in_stride);
    for (; kx < g.x.taps && i < n; ++kx, ++i) {
      const int64_t ix = left + kx * g.x.dilation;
      to[i] = is_inside && ix >= 0 && ix < g.x.in
                  ? static_cast<int16_t>(line[static_cast<ptrdiff_t>(ix) * g.x.in_stride] -
                                         layer.zero_point)
                  : int16_t{0};
    }
    kx = 0;
    if (++ky == g.y.taps) {
      ky = 0;
      channel += g.in_channel_stride;
    }
  }
}

/// Outputs [first, first + n) of a line of a channel that depends on one channel; the columns of
/// both are neighbours in memory.
template <typename Q>
void convolve_line(const IntegerLayer& layer, const Geometry& g, const char* plane, size_t channel,
                   int64_t oy, int64_t first, int64_t n, char* to) {
  int32_t sums[kTileChannels] = {};
  for (int64_t tap = 0; tap < g.y.taps * g.x.taps; ++tap) {
    const int64_t iy = oy * g.y.stride - g.y.padding + tap / g.x.taps * g.y.dilation;
    if (iy < 0 || iy >= g.y.in) {
      continue;
    }
    const int64_t left =
        first * g.x.stride - g.x.padding + tap % g.x.taps * g.x.dilation;  // of the first output
    const int64_t begin = left < 0 ? (-left + g.x.stride - 1) / g.x.stride : 0;
    const int64_t fitting = (g.x.in - left + g.x.stride - 1) / g.x.stride;
    const int64_t end = fitting < n ? fitting : n;
    const int32_t w = layer.weight[channel * layer.depth + static_cast<size_t>(tap)];
    const Q* line = reinterpret_cast<const Q*>(plane + static_cast<ptrdiff_t>(iy) * g.y.in_stride);
    for (int64_t i = begin; i < end; ++i) {
      sums[i] += w * (line[left + i * g.x.stride] - layer.zero_point);
    }
  }
  finish_run(layer, channel, sums, static_cast<size_t>(n), to);
}

template <typename Q>
void convolve_channels(const IntegerLayer& layer, const Geometry& g, const Tensor& in,
                       Tensor& out) {
  constexpr int64_t kColumns = static_cast<int64_t>(kTileChannels);
  const View from(in);
  const View to(out);
  const size_t channels = g.groups * g.channels;
  const size_t count = static_cast<size_t>(in.size(0)) * channels * static_cast<size_t>(g.y.out);
  constexpr size_t kGrain = 32768;
  const size_t work = layer.depth * static_cast<size_t>(g.x.out);
  parallel_for(count, 1 + kGrain / work, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const int64_t oy = static_cast<int64_t>(i) % g.y.out;
      const size_t channel = i / static_cast<size_t>(g.y.out) % channels;
      const ptrdiff_t number = static_cast<ptrdiff_t>(i / static_cast<size_t>(g.y.out) / channels);
      const char* plane =
          element_at(from, number * in.strides()[0] +
                               static_cast<ptrdiff_t>(channel / g.channels) * g.in_channel_stride);
      for (int64_t ox = 0; ox < g.x.out; ox += kColumns) {
        convolve_line<Q>(
            layer, g, plane, channel, oy, ox, g.x.out - ox < kColumns ? g.x.out - ox : kColumns,
            element_at(to, static_cast<ptrdiff_t>(i) * static_cast<ptrdiff_t>(g.x.out) +
                               static_cast<ptrdiff_t>(ox)));
      }
    }
  });
}

template <typename Q>
void convolve(const IntegerLayer& layer, const Geometry& g, const Tensor& in, Tensor& out) {
  const View from(in);
  const View to(out);
  const size_t pixels = static_cast<size_t>(g.y.out * g.x.out);
  const size_t tiles = (pixels + kTileRows - 1) / kTileRows;
  const size_t blocks = (g.channels + kTileChannels - 1) / kTileChannels;
  const size_t images = static_cast<size_t>(in.size(0));
  constexpr size_t kGrain = 32768;
  const size_t work =
      kTileRows * (g.channels < kTileChannels ? g.channels : kTileChannels) * (layer.depth + 1);
  const size_t count = images * g.groups * tiles * blocks;
  parallel_for(count, 1 + kGrain / work, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t block = i % blocks * kTileChannels;
      const size_t pixel = i / blocks % tiles * kTileRows;
      const size_t group = i / blocks / tiles % g.groups;
      const ptrdiff_t number = static_cast<ptrdiff_t>(i / blocks / tiles / g.groups);
      const size_t channel = group * g.channels + block;
      const char* image = element_at(from, number * in.strides()[0]) +
                          static_cast<ptrdiff_t>(group * g.inputs) * g.in_channel_stride;
      const IntegerTile tile = {
          pixels - pixel < kTileRows ? pixels - pixel : kTileRows,
          channel,
          g.channels - block < kTileChannels ? g.channels - block : kTileChannels,
          element_at(to, number * out.strides()[0] +
                             static_cast<ptrdiff_t>(channel) * g.out_channel_stride +
                             static_cast<ptrdiff_t>(pixel) * g.x.out_stride),
          g.x.out_stride,
          g.out_channel_stride};
      run_tile(layer, tile, [&](size_t row, size_t first, size_t n, int16_t* x) {
        const int64_t at = static_cast<int64_t>(pixel + row);
        gather<Q>(layer, g, image, at / g.x.out, at % g.x.out, first, n, x);
      });
    }
  });
}

/// Whether the pixels of a channel, or the channels of a pixel, are neighbours.
bool has_known_layout(const Tensor& t) {
  const auto order = t.dim_order();
  bool channels_last =
      t.dim() == 4 && order[0] == 0 && order[1] == 2 && order[2] == 3 && order[3] == 1;
  return channels_last || is_contiguous(t);
}

}  // namespace

Tensor& quantized_convolution_out(KernelRuntimeContext& ctx, const Tensor& in, double in_scale,
                                  int64_t in_zero_point, const Tensor& weight,
                                  const Tensor& weight_scales, const optional<Tensor>& bias,
                                  IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                  int64_t groups, double out_scale, int64_t out_zero_point,
                                  int64_t out_quant_min, int64_t out_quant_max, Tensor& out) {
  const IntegerLayerArgs args = {in,           in_scale,       in_zero_point,
                                 weight,       weight_scales,  bias.has_value() ? &*bias : nullptr,
                                 out_scale,    out_zero_point, out_quant_min,
                                 out_quant_max};
  IntegerLayer layer;
  const ssize_t rank = in.dim();
  if (!check_integer_layer(ctx, args, out, layer) ||
      !require(
          ctx, (rank == 3 || rank == 4) && weight.dim() == rank,
          "a convolution needs [n, c, l] or [n, c, h, w] and a weight of as many dimensions") ||
      !require(ctx,
               groups > 0 && weight.size(0) % groups == 0 && weight.size(1) * groups == in.size(1),
               "the groups must divide the channels, and the weight's must be those of a group")) {
    return out;
  }
  const size_t axes = static_cast<size_t>(rank) - 2;
  Geometry g;
  if (!require(ctx,
               has_parameters(stride, axes) && has_parameters(padding, axes) &&
                   has_parameters(dilation, axes),
               "stride, padding and dilation must have one number, or one for each dimension") ||
      !measure_axis(ctx, args, stride, padding, dilation, axes - 1, g.x) ||
      (axes == 2 && !measure_axis(ctx, args, stride, padding, dilation, 0, g.y))) {
    return out;
  }
  Shape shape(in);
  shape.sizes[1] = static_cast<SizesType>(weight.size(0));
  shape.sizes[rank - 1] = static_cast<SizesType>(g.x.out);
  if (axes == 2) {
    shape.sizes[2] = static_cast<SizesType>(g.y.out);
  }
  if (!resize(ctx, shape, out) || out.numel() == 0 ||
      !require(ctx, has_known_layout(in) && has_known_layout(out),
               "input and output must be contiguous or channels-last")) {
    return out;
  }
  g.groups = static_cast<size_t>(groups);
  g.channels = static_cast<size_t>(weight.size(0) / groups);
  g.inputs = static_cast<size_t>(weight.size(1));
  g.in_channel_stride = in.strides()[1];
  g.out_channel_stride = out.strides()[1];
  g.x.in_stride = in.strides()[rank - 1];
  g.x.out_stride = out.strides()[rank - 1];
  g.y.in_stride = axes == 2 ? in.strides()[2] : 0;
  const bool is_char = layer.dtype == ScalarType::Char;
  if (g.inputs == 1 && is_contiguous(in) && is_contiguous(out)) {
    (is_char ? convolve_channels<int8_t> : convolve_channels<uint8_t>)(layer, g, in, out);
  } else {
    (is_char ? convolve<int8_t> : convolve<uint8_t>)(layer, g, in, out);
  }
  return out;
}

}  // namespace torch::executor::native
