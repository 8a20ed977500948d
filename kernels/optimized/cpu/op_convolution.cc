#include <cstring>

#include <executorch/kernels/optimized/cpu/engine.h>
#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/convolution.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

// Convolutions of Float images that the portable kernel with this library's loops is slow at:
// channels-last and transposed ones.

namespace torch::executor::native {
namespace {

using optimized::simd;
using util::Convolution;
using util::ConvolutionDim;

/// Elements of temporary memory for columns, if one output channel has no more.
constexpr size_t kColumnElements = 192 * 1024;
/// The fewest additions that are worth a thread.
constexpr size_t kGrain = 16384;

const float* floats(const Tensor& t) { return static_cast<const float*>(t.const_data_ptr()); }

float* allocate(KernelRuntimeContext& ctx, size_t elements) {
  if (!ctx.has_temp_allocator()) {
    return nullptr;
  }
  const auto memory = ctx.allocate_temp(elements * sizeof(float), 64);
  return memory.ok() ? static_cast<float*>(memory.get()) : nullptr;
}

/// The input indices [begin, end) that a tap of a transposed convolution shows inside the output.
struct Reach {
  int64_t begin;
  int64_t end;
  int64_t offset;  // output index of input index 0

  Reach(const ConvolutionDim& d, int64_t tap) {
    offset = tap * d.dilation - d.padding;
    begin = offset >= 0 ? 0 : (-offset + d.stride - 1) / d.stride;
    const int64_t room = d.out - 1 - offset;
    end = room < 0 ? 0 : room / d.stride + 1;
    end = end < d.in ? end : d.in;
  }
};

/// A transposed convolution: each tap of the kernel times all of the input, added up where it
/// belongs.
class Transposed {
 public:
  Transposed(const Tensor& in, const Tensor& weight, const float* bias, const Convolution& conv,
             Tensor& out)
      : conv_(conv),
        in_(floats(in)),
        weight_(floats(weight)),
        bias_(bias),
        out_(static_cast<float*>(out.mutable_data_ptr())),
        taps_(static_cast<size_t>(conv.dim[1].kernel * conv.dim[2].kernel)),
        in_plane_(static_cast<size_t>(conv.dim[1].in * conv.dim[2].in)),
        out_plane_(static_cast<size_t>(conv.dim[1].out * conv.dim[2].out)) {}

  /// @returns false if there is no memory for it, or nothing to gain.
  bool run(KernelRuntimeContext& ctx) {
    const size_t rows = conv_.out_channels * taps_;
    constexpr size_t kFewRows = 4;
    if (conv_.in_channels == 0 || taps_ * conv_.out_channels <= kFewRows) {
      return false;
    }
    const size_t per_channel = taps_ * in_plane_;
    size_t channels = kColumnElements / per_channel;
    channels = channels < 1 ? 1 : channels;
    channels = channels < conv_.out_channels ? channels : conv_.out_channels;
    // All products have more than a few rows.
    const size_t last = conv_.out_channels % channels;
    if (channels * taps_ <= kFewRows || (last != 0 && last * taps_ <= kFewRows)) {
      return false;
    }
    float* turned = allocate(ctx, rows * conv_.in_channels);
    float* columns = turned == nullptr ? nullptr : allocate(ctx, channels * per_channel);
    if (columns == nullptr) {
      return false;
    }
    for (size_t group = 0; group < conv_.groups; ++group) {
      simd->transpose(weight_ + group * conv_.in_channels * rows, static_cast<ptrdiff_t>(rows),
                      conv_.in_channels, rows, turned, static_cast<ptrdiff_t>(conv_.in_channels));
      for (size_t n = 0; n < conv_.batch; ++n) {
        for (size_t first = 0; first < conv_.out_channels; first += channels) {
          const size_t left = conv_.out_channels - first;
          run_channels(n, group, first, left < channels ? left : channels, turned, columns);
        }
      }
    }
    return true;
  }

 private:
  void run_channels(size_t n, size_t group, size_t first, size_t count, const float* turned,
                    float* columns) const {
    const size_t image = n * conv_.groups + group;
    util::FloatProduct product = {};
    product.m = count * taps_;
    product.n = in_plane_;
    product.k = conv_.in_channels;
    product.left = turned + first * taps_ * conv_.in_channels;
    product.left_row_stride = static_cast<ptrdiff_t>(conv_.in_channels);
    product.left_column_stride = 1;
    product.right = in_ + image * conv_.in_channels * in_plane_;
    product.right_row_stride = static_cast<ptrdiff_t>(in_plane_);
    product.right_column_stride = 1;
    product.out = columns;
    product.out_row_stride = static_cast<ptrdiff_t>(in_plane_);
    product.out_column_stride = 1;
    optimized::multiply(product);
    util::parallel_for(count, 1 + kGrain / (taps_ * in_plane_), [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c) {
        const size_t channel = group * conv_.out_channels + first + c;
        float* plane = out_ + (n * conv_.groups * conv_.out_channels + channel) * out_plane_;
        add_taps(columns + c * taps_ * in_plane_, bias_ == nullptr ? 0.0f : bias_[channel], plane);
      }
    });
  }

  void add_taps(const float* columns, float bias, float* plane) const {
    const ConvolutionDim& height = conv_.dim[1];
    const ConvolutionDim& width = conv_.dim[2];
    for (size_t i = 0; i < out_plane_; ++i) {
      plane[i] = bias;
    }
    for (int64_t ky = 0; ky < height.kernel; ++ky) {
      const Reach rows(height, ky);
      for (int64_t kx = 0; kx < width.kernel; ++kx, columns += in_plane_) {
        const Reach pixels(width, kx);
        for (int64_t y = rows.begin; y < rows.end; ++y) {
          const float* from = columns + y * width.in;
          float* to = plane + (y * height.stride + rows.offset) * width.out + pixels.offset;
          add_line(from, pixels.begin, pixels.end, width.stride, to);
        }
      }
    }
  }

  static void add_line(const float* from, int64_t begin, int64_t end, int64_t stride, float* to) {
    if (stride == 1) {
      for (int64_t x = begin; x < end; ++x) {
        to[x] += from[x];
      }
    } else {
      for (int64_t x = begin; x < end; ++x) {
        to[x * stride] += from[x];
      }
    }
  }

  const Convolution& conv_;
  const float* in_;
  const float* weight_;
  const float* bias_;
  float* out_;
  size_t taps_;
  size_t in_plane_;
  size_t out_plane_;
};

/// True if the pixels of an image of rank 4 lie one behind the other, each with its channels.
bool is_channels_last(const Tensor& t) {
  if (t.dim() != 4 || util::is_contiguous(t)) {
    return false;
  }
  const auto order = t.dim_order();
  return order[0] == 0 && order[1] == 2 && order[2] == 3;
}

/// A depthwise convolution of a channels-last image.
class DepthwisePixels {
 public:
  DepthwisePixels(const Tensor& in, const Tensor& weight, const float* bias,
                  const Convolution& conv, Tensor& out)
      : conv_(conv),
        in_(floats(in)),
        weight_(floats(weight)),
        bias_(bias),
        out_(static_cast<float*>(out.mutable_data_ptr())),
        channels_(conv.groups),
        taps_(static_cast<size_t>(conv.dim[1].kernel * conv.dim[2].kernel)) {}

  bool run(KernelRuntimeContext& ctx) {
    if (taps_ > kMostTaps) {
      return false;
    }
    float* turned = allocate(ctx, (taps_ + 1) * channels_);
    if (turned == nullptr) {
      return false;
    }
    // The weight has a tap for each channel behind the other in both layouts that are for this.
    simd->transpose(weight_, static_cast<ptrdiff_t>(taps_), channels_, taps_, turned,
                    static_cast<ptrdiff_t>(channels_));
    float* zeros = turned + taps_ * channels_;
    std::memset(zeros, 0, channels_ * sizeof(float));
    const size_t lines = conv_.batch * static_cast<size_t>(conv_.dim[1].out);
    const size_t work = static_cast<size_t>(conv_.dim[2].out) * channels_ * taps_;
    util::parallel_for(lines, 1 + kGrain / work, [&](size_t begin, size_t end) {
      for (size_t line = begin; line < end; ++line) {
        run_line(line, turned, zeros);
      }
    });
    return true;
  }

 private:
  static constexpr size_t kMostTaps = 64;
  /// Of pixels that are weighed at a time.
  static constexpr size_t kPointers = 1024;

  /// Whether pixels can be read once for the three taps that they are under.
  bool slides() const {
    const ConvolutionDim& width = conv_.dim[2];
    return conv_.dim[1].kernel == 3 && width.kernel == 3 && width.stride == 1 &&
           width.dilation == 1 && width.padding <= 1 && width.in >= 3;
  }

  void slide_line(const float* from, int64_t y, const float* weights, const float* zeros,
                  float* to) const {
    const ConvolutionDim& height = conv_.dim[1];
    optimized::SlidingPixels pixels = {};
    pixels.width = static_cast<size_t>(conv_.dim[2].in);
    pixels.padded = conv_.dim[2].padding == 1;
    pixels.weights = weights;
    pixels.bias = bias_;
    pixels.channels = channels_;
    for (int64_t ky = 0; ky < 3; ++ky) {
      const int64_t iy = y + ky * height.dilation;
      const bool inside = iy >= 0 && iy < height.in;
      pixels.lines[ky] = inside ? from + static_cast<size_t>(iy) * pixels.width * channels_ : zeros;
      pixels.step[ky] = inside ? channels_ : 0;
    }
    simd->slide_pixels(pixels, to);
  }

  void run_line(size_t line, const float* weights, const float* zeros) const {
    const ConvolutionDim& height = conv_.dim[1];
    const ConvolutionDim& width = conv_.dim[2];
    const int64_t y = static_cast<int64_t>(line) % height.out * height.stride - height.padding;
    const size_t image = line / static_cast<size_t>(height.out);
    const float* from = in_ + image * static_cast<size_t>(height.in * width.in) * channels_;
    float* to = out_ + line * static_cast<size_t>(width.out) * channels_;
    if (slides()) {
      slide_line(from, y, weights, zeros, to);
      return;
    }
    const float* pixels[kPointers];
    const int64_t block = static_cast<int64_t>(kPointers / taps_);
    for (int64_t first = 0; first < width.out; first += block) {
      const int64_t last = first + block < width.out ? first + block : width.out;
      size_t tap = 0;
      for (int64_t column = first; column < last; ++column) {
        const int64_t x = column * width.stride - width.padding;
        for (int64_t ky = 0; ky < height.kernel; ++ky) {
          const int64_t iy = y + ky * height.dilation;
          for (int64_t kx = 0; kx < width.kernel; ++kx) {
            const int64_t ix = x + kx * width.dilation;
            const bool inside = iy >= 0 && iy < height.in && ix >= 0 && ix < width.in;
            pixels[tap++] =
                inside ? from + static_cast<size_t>(iy * width.in + ix) * channels_ : zeros;
          }
        }
      }
      simd->weigh_pixels(
          {pixels, static_cast<size_t>(last - first), taps_, weights, bias_, channels_},
          to + static_cast<size_t>(first) * channels_);
    }
  }

  const Convolution& conv_;
  const float* in_;
  const float* weight_;
  const float* bias_;
  float* out_;
  size_t channels_;
  size_t taps_;
};

/// A pointwise convolution of a channels-last image is a product of its pixels and the weight.
bool run_pointwise(const Tensor& in, const Tensor& weight, const float* bias,
                   const Convolution& conv, Tensor& out) {
  const size_t pixels = conv.batch * static_cast<size_t>(conv.dim[1].in * conv.dim[2].in);
  util::FloatProduct product = {};
  product.m = pixels;
  product.n = conv.out_channels;
  product.k = conv.in_channels;
  product.left = floats(in);
  product.left_row_stride = static_cast<ptrdiff_t>(conv.in_channels);
  product.left_column_stride = 1;
  product.right = floats(weight);
  product.right_row_stride = 1;
  product.right_column_stride = static_cast<ptrdiff_t>(conv.in_channels);
  product.out = static_cast<float*>(out.mutable_data_ptr());
  product.out_row_stride = static_cast<ptrdiff_t>(conv.out_channels);
  product.out_column_stride = 1;
  product.bias = bias;
  product.bias_column_stride = 1;
  return optimized::multiply(product);
}

bool is_pointwise(const Convolution& conv) {
  for (const ConvolutionDim& d : conv.dim) {
    if (d.kernel != 1 || d.stride != 1 || d.padding != 0) {
      return false;
    }
  }
  return conv.groups == 1;
}

/// A contiguous tensor in temporary memory, of the sizes of another of rank 4.
class Contiguous {
 public:
  Contiguous(const Tensor& like, float* data) : impl_(make(like, data)) {}

  Tensor tensor() { return Tensor(&impl_); }

 private:
  using DimOrder = executorch::aten::DimOrderType;
  using Stride = executorch::aten::StridesType;
  static constexpr size_t kRank = 4;

  executorch::aten::TensorImpl make(const Tensor& like, float* data) {
    Stride stride = 1;
    for (size_t d = kRank; d-- > 0;) {
      sizes_[d] = static_cast<SizesType>(like.size(static_cast<ssize_t>(d)));
      strides_[d] = stride;
      order_[d] = static_cast<DimOrder>(d);
      stride *= sizes_[d];
    }
    return executorch::aten::TensorImpl(ScalarType::Float, kRank, sizes_, data, order_, strides_);
  }

  SizesType sizes_[kRank];
  DimOrder order_[kRank];
  Stride strides_[kRank];
  executorch::aten::TensorImpl impl_;
};

/// By way of contiguous copies, which the convolution proper is faster with.
bool run_turned(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& weight,
                const optional<Tensor>& bias, Convolution& conv, Tensor& out) {
  const size_t count = static_cast<size_t>(in.numel());
  float* memory = allocate(ctx, count + static_cast<size_t>(out.numel()));
  if (memory == nullptr) {
    return false;
  }
  Contiguous from(in, memory);
  Contiguous to(out, memory + count);
  Tensor result = to.tensor();
  util::copy(util::View(in), util::View(from.tensor()));
  util::convolve(ctx, from.tensor(), weight, bias, conv, result);
  util::copy(util::View(result), util::View(out));
  return true;
}

/// @returns false if the portable kernel is as good. The arguments are checked, the output has its
/// shape.
bool run(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& weight,
         const optional<Tensor>& bias, Convolution& conv, Tensor& out) {
  const float* offsets = bias.has_value() ? floats(*bias) : nullptr;
  if (out.numel() == 0 || in.numel() == 0 || conv.dim[0].kernel != 1 || conv.dim[0].in != 1 ||
      conv.dim[0].out != 1 || conv.dim[0].padding != 0) {
    return false;
  }
  if (conv.transposed) {
    return util::is_contiguous(in) && util::is_contiguous(weight) && util::is_contiguous(out) &&
           Transposed(in, weight, offsets, conv, out).run(ctx);
  }
  if (!is_channels_last(in) || !is_channels_last(out)) {
    return false;
  }
  if (is_pointwise(conv)) {
    return run_pointwise(in, weight, offsets, conv, out);
  }
  const bool depthwise = conv.in_channels == 1 && conv.out_channels == 1;
  if (depthwise && util::is_contiguous(weight)) {
    return DepthwisePixels(in, weight, offsets, conv, out).run(ctx);
  }
  return run_turned(ctx, in, weight, bias, conv, out);
}

}  // namespace

Tensor& opt_convolution_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& weight,
                            const optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
                            IntArrayRef dilation, bool transposed, IntArrayRef output_padding,
                            int64_t groups, Tensor& out) {
  const bool is_float = in.scalar_type() == ScalarType::Float &&
                        (!bias.has_value() || bias->scalar_type() == ScalarType::Float);
  const bool for_this = transposed || is_channels_last(in);
  if (is_float && for_this) {
    const util::ConvolutionArgs args = {stride,         padding,    dilation,
                                        output_padding, transposed, groups};
    Convolution conv;
    util::Shape shape;
    if (!util::check_convolution(ctx, in, weight, bias, args, out, conv, shape) ||
        !util::resize(ctx, shape, out) || run(ctx, in, weight, bias, conv, out)) {
      return out;
    }
  }
  return convolution_out(ctx, in, weight, bias, stride, padding, dilation, transposed,
                         output_padding, groups, out);
}

}  // namespace torch::executor::native
