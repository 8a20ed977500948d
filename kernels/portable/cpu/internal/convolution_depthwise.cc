#include <cstring>
#include <type_traits>

#include <executorch/kernels/portable/cpu/internal/convolution_impl.h>
#include <executorch/kernels/portable/cpu/internal/float_loops.h>

namespace torch::executor::native::util {
namespace {

template <typename C>
constexpr Compute kComputeOf = std::is_same_v<C, float>    ? Compute::kFloat
                               : std::is_same_v<C, double> ? Compute::kDouble
                                                           : Compute::kInt64;

/// acc[i] += w * x[i * stride]
template <typename C>
void add_scaled(C* acc, const C* x, ptrdiff_t stride, size_t n, C w) {
  if (stride == 1) {
    if constexpr (std::is_same_v<C, float>) {
      if (float_loops.add_scaled != nullptr && n >= 16) {
        return float_loops.add_scaled(acc, x, n, w);
      }
    }
    for (size_t i = 0; i < n; ++i) {
      acc[i] += w * x[i];
    }
  } else {
    for (size_t i = 0; i < n; ++i) {
      acc[i] += w * x[static_cast<ptrdiff_t>(i) * stride];
    }
  }
}

template <typename C>
class Depthwise {
 public:
  explicit Depthwise(const ConvolutionImage& image)
      : image_(image),
        conv_(*image.conv),
        size_(static_cast<ptrdiff_t>(executorch::runtime::elementSize(image.in_dtype))),
        native_(image.in_dtype == native_dtype(kComputeOf<C>)) {}

  void run() {
    const bool by_channels = image_.in_channel_stride == 1 && image_.out_channel_stride == 1 &&
                             conv_.out_channels == 1 && conv_.groups > 1;
    if (by_channels) {
      return run_channels();
    }
    prepare_reaches();
    for (size_t o = 0; o < conv_.groups * conv_.out_channels; ++o) {
      run_channel(o);
    }
  }

 private:
  static constexpr size_t kBlock = kChunkBytes / sizeof(C);

  C weight_at(size_t channel, int64_t d, int64_t h, int64_t w) const {
    const ptrdiff_t offset = static_cast<ptrdiff_t>(channel) * image_.weight_stride[0] +
                             static_cast<ptrdiff_t>(d) * conv_.dim[0].weight_stride +
                             static_cast<ptrdiff_t>(h) * conv_.dim[1].weight_stride +
                             static_cast<ptrdiff_t>(w) * conv_.dim[2].weight_stride;
    C value;
    load(kComputeOf<C>, image_.in_dtype, image_.weight + offset * size_, 1, 1, &value);
    return value;
  }

  void load_bias(size_t channel, size_t n, C* dst) const {
    if (image_.bias == nullptr) {
      std::memset(static_cast<void*>(dst), 0, n * sizeof(C));
      return;
    }
    const size_t bytes = executorch::runtime::elementSize(image_.bias_dtype);
    load(kComputeOf<C>, image_.bias_dtype, image_.bias + channel * bytes, 1, n, dst);
  }

  /// acc += w * n input elements from `offset` on.
  void accumulate(ptrdiff_t offset, ptrdiff_t stride, size_t n, C w, C* acc) {
    const char* from = image_.in + offset * size_;
    if (native_) {
      add_scaled(acc, reinterpret_cast<const C*>(from), stride, n, w);
    } else {
      load(kComputeOf<C>, image_.in_dtype, from, stride, n, line_);
      add_scaled(acc, static_cast<const C*>(line_), 1, n, w);
    }
  }

  /// Adds what all taps contribute to output pixels [first, first + n) of one line.
  void add_taps(size_t channel, int64_t od, int64_t oh, int64_t first, size_t n, C* acc) {
    const ConvolutionDim& line = conv_.dim[2];
    const ptrdiff_t in_channel = static_cast<ptrdiff_t>(channel / conv_.out_channels);
    for (int64_t kd = 0; kd < conv_.dim[0].kernel; ++kd) {
      const int64_t id = position(conv_.dim[0], od, kd);
      for (int64_t kh = 0; kh < conv_.dim[1].kernel && id >= 0; ++kh) {
        const int64_t ih = position(conv_.dim[1], oh, kh);
        for (int64_t kw = 0; kw < line.kernel && ih >= 0; ++kw) {
          const Reach reach = reach_known_ ? reaches_[kw] : reach_of(kw, first, n);
          if (reach.valid.begin == reach.valid.end) {
            continue;
          }
          const ptrdiff_t offset = in_channel * image_.in_channel_stride +
                                   static_cast<ptrdiff_t>(id) * conv_.dim[0].in_stride +
                                   static_cast<ptrdiff_t>(ih) * conv_.dim[1].in_stride +
                                   reach.at * line.in_stride;
          const C w = weights_known_ ? weights_[(kd * conv_.dim[1].kernel + kh) * line.kernel + kw]
                                     : weight_at(channel, kd, kh, kw);
          accumulate(offset, line.in_stride * static_cast<ptrdiff_t>(line.stride),
                     static_cast<size_t>(reach.valid.end - reach.valid.begin), w,
                     acc + reach.valid.begin);
        }
      }
    }
  }

  /// The outputs of a line that a tap reaches, and the input position of the first of them.
  struct Reach {
    ValidRange valid;
    ptrdiff_t at;
  };

  Reach reach_of(int64_t kw, int64_t first, size_t n) const {
    const ConvolutionDim& line = conv_.dim[2];
    const int64_t start = first * line.stride - line.padding + kw * line.dilation;
    const ValidRange valid = valid_range(start, line.stride, line.in, static_cast<int64_t>(n));
    return {valid, static_cast<ptrdiff_t>(start + valid.begin * line.stride)};
  }

  /// What all lines share is calculated once, as far as there is room for it.
  void prepare_reaches() {
    const ConvolutionDim& line = conv_.dim[2];
    reach_known_ = line.kernel <= kReaches && line.out <= static_cast<int64_t>(kBlock);
    for (int64_t kw = 0; kw < line.kernel && reach_known_; ++kw) {
      reaches_[kw] = reach_of(kw, 0, static_cast<size_t>(line.out));
    }
  }

  /// The input position of a tap; -1 in the padding.
  static int64_t position(const ConvolutionDim& dim, int64_t out, int64_t tap) {
    const int64_t in = out * dim.stride - dim.padding + tap * dim.dilation;
    return in >= 0 && in < dim.in ? in : -1;
  }

  /// One output channel, line by line.
  void run_channel(size_t channel) {
    const ConvolutionDim& line = conv_.dim[2];
    C acc[kBlock];
    C bias;
    load_bias(channel, 1, &bias);
    const double taps = static_cast<double>(conv_.dim[0].kernel) *
                        static_cast<double>(conv_.dim[1].kernel) * static_cast<double>(line.kernel);
    weights_known_ = taps <= static_cast<double>(kWeights);
    if (weights_known_) {
      load_weights(channel, 1);
    }
    for (int64_t od = 0; od < conv_.dim[0].out; ++od) {
      for (int64_t oh = 0; oh < conv_.dim[1].out; ++oh) {
        for (int64_t ow = 0; ow < line.out;) {
          const int64_t left = line.out - ow;
          const size_t n = left < static_cast<int64_t>(kBlock) ? static_cast<size_t>(left) : kBlock;
          for (size_t i = 0; i < n; ++i) {
            acc[i] = bias;
          }
          add_taps(channel, od, oh, ow, n, acc);
          const ptrdiff_t offset = static_cast<ptrdiff_t>(channel) * image_.out_channel_stride +
                                   static_cast<ptrdiff_t>(od) * conv_.dim[0].out_stride +
                                   static_cast<ptrdiff_t>(oh) * conv_.dim[1].out_stride +
                                   static_cast<ptrdiff_t>(ow) * line.out_stride;
          store(kComputeOf<C>, image_.in_dtype, acc, n, image_.out + offset * size_,
                line.out_stride);
          ow += static_cast<int64_t>(n);
        }
      }
    }
  }

  /// Channels-last: a block of channels at a time, all output pixels.
  void run_channels() {
    const size_t taps =
        static_cast<size_t>(conv_.dim[0].kernel * conv_.dim[1].kernel * conv_.dim[2].kernel);
    const size_t most = kWeights / taps < kBlock ? kWeights / taps : kBlock;
    if (most == 0) {  // a huge kernel
      for (size_t o = 0; o < conv_.groups; ++o) {
        run_channel(o);
      }
      return;
    }
    for (size_t first = 0; first < conv_.groups; first += most) {
      const size_t n = conv_.groups - first < most ? conv_.groups - first : most;
      load_weights(first, n);
      for (int64_t od = 0; od < conv_.dim[0].out; ++od) {
        for (int64_t oh = 0; oh < conv_.dim[1].out; ++oh) {
          for (int64_t ow = 0; ow < conv_.dim[2].out; ++ow) {
            run_pixel(first, n, od, oh, ow);
          }
        }
      }
    }
  }

  /// Turns the weights of `n` channels round: weights_[tap][channel].
  void load_weights(size_t first, size_t n) {
    C* dst = weights_;
    for (int64_t d = 0; d < conv_.dim[0].kernel; ++d) {
      for (int64_t h = 0; h < conv_.dim[1].kernel; ++h) {
        for (int64_t w = 0; w < conv_.dim[2].kernel; ++w) {
          for (size_t i = 0; i < n; ++i) {
            *dst++ = weight_at(first + i, d, h, w);
          }
        }
      }
    }
    load_bias(first, n, bias_);
  }

  void run_pixel(size_t first, size_t n, int64_t od, int64_t oh, int64_t ow) {
    C acc[kBlock];
    std::memcpy(acc, bias_, n * sizeof(C));
    const C* w = weights_;
    for (int64_t kd = 0; kd < conv_.dim[0].kernel; ++kd) {
      const int64_t id = position(conv_.dim[0], od, kd);
      for (int64_t kh = 0; kh < conv_.dim[1].kernel; ++kh) {
        const int64_t ih = position(conv_.dim[1], oh, kh);
        for (int64_t kw = 0; kw < conv_.dim[2].kernel; ++kw, w += n) {
          const int64_t iw = position(conv_.dim[2], ow, kw);
          if (id < 0 || ih < 0 || iw < 0) {
            continue;
          }
          const ptrdiff_t offset = static_cast<ptrdiff_t>(first) +
                                   static_cast<ptrdiff_t>(id) * conv_.dim[0].in_stride +
                                   static_cast<ptrdiff_t>(ih) * conv_.dim[1].in_stride +
                                   static_cast<ptrdiff_t>(iw) * conv_.dim[2].in_stride;
          const C* x = reinterpret_cast<const C*>(image_.in + offset * size_);
          if (!native_) {
            load(kComputeOf<C>, image_.in_dtype, x, 1, n, line_);
            x = line_;
          }
          for (size_t i = 0; i < n; ++i) {
            acc[i] += w[i] * x[i];
          }
        }
      }
    }
    const ptrdiff_t offset = static_cast<ptrdiff_t>(first) +
                             static_cast<ptrdiff_t>(od) * conv_.dim[0].out_stride +
                             static_cast<ptrdiff_t>(oh) * conv_.dim[1].out_stride +
                             static_cast<ptrdiff_t>(ow) * conv_.dim[2].out_stride;
    store(kComputeOf<C>, image_.in_dtype, acc, n, image_.out + offset * size_);
  }

  /// Weights that fit beside each other: 64 channels of a 5 x 5 kernel with the largest chunks.
  static constexpr size_t kWeights = kBlock * 3;

  /// Kernels up to this wide have their reaches calculated once.
  static constexpr int64_t kReaches = 16;

  const ConvolutionImage& image_;
  const Convolution& conv_;
  const ptrdiff_t size_;
  const bool native_;
  bool reach_known_ = false;
  bool weights_known_ = false;
  Reach reaches_[kReaches];
  C line_[kBlock];
  C bias_[kBlock];
  C weights_[kWeights];
};

}  // namespace

void convolve_depthwise(const ConvolutionImage& image) {
  switch (arithmetic_compute(image.in_dtype)) {
    case Compute::kFloat:
      return Depthwise<float>(image).run();
    case Compute::kDouble:
      if constexpr (has_loops(Compute::kDouble)) {
        Depthwise<double>(image).run();
      }
      return;
    default:
      if constexpr (has_loops(Compute::kInt64)) {
        Depthwise<uint64_t>(image).run();
      }
  }
}

void convolve_image(const ConvolutionImage& image) {
  // With few rows a matrix product wastes its tiles.
  const bool depthwise =
      image.conv->in_channels == 1 && image.conv->out_channels < 4 && !image.conv->transposed;
  if (depthwise) {
    convolve_depthwise(image);
  } else {
    convolve_gemm(image);
  }
}

}  // namespace torch::executor::native::util
