#include <cmath>

#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/quantized/cpu/util/affine.h>

namespace torch::executor::native::util {
namespace {

constexpr size_t kMost = kChunkBytes / sizeof(float);

/// Up to here a float has all integers and the sum below rounds to them, ties to even.
constexpr float kRoundable = 4194304.0f;  // 2^22
constexpr float kRound = 12582912.0f;     // 1.5 * 2^23

/// Replaces x by its quantized value. `low` and `high` are the range without the zero point.
void quantize_run(float* x, size_t n, float inverse, float zero_point, float low, float high) {
  if (low < -kRoundable || high > kRoundable) {
    for (size_t i = 0; i < n; ++i) {
      const float q = std::nearbyint(x[i] * inverse);
      x[i] = (q < low ? low : q > high ? high : q) + zero_point;
    }
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    float q = x[i] * inverse;
    q = q < low ? low : q;
    q = q > high ? high : q;
    x[i] = ((q + kRound) - kRound) + zero_point;
  }
}

/// Calls `fn(offset, count, channel)` for runs of elements of one channel that make up the tensor.
template <typename Fn>
void for_each_run(const Tensor& t, const QuantParameters& p, const Fn& fn) {
  constexpr size_t kGrain = 16384;
  const size_t total = static_cast<size_t>(t.numel());
  if (p.channels == 1) {
    parallel_for(total, kGrain,
                 [&](size_t begin, size_t end) { fn(begin, end - begin, size_t{0}); });
    return;
  }
  const size_t runs = (total + p.run - 1) / p.run;
  parallel_for(runs, 1 + kGrain / p.run, [&](size_t begin, size_t end) {
    size_t channel = begin % p.channels;
    for (size_t run = begin; run < end; ++run) {
      const size_t at = run * p.run;
      fn(at, total - at < p.run ? total - at : p.run, channel);
      channel = channel + 1 == p.channels ? 0 : channel + 1;
    }
  });
}

/// Runs that are shorter than this are calculated several at a time.
constexpr size_t kShortRun = 16;

/// What quantization multiplies by.
float inverse_of(const QuantParameters& p, size_t channel) {
  return p.scales.data != nullptr && p.scales.dtype == ScalarType::Float
             ? 1.0f / static_cast<float>(p.scale_of(channel))
             : static_cast<float>(1.0 / p.scale_of(channel));
}

/// Neighbours of which each has its own scale, or the inverse of it, and its own zero point.
struct Mixed {
  float factor[kMost];
  float zero_point[kMost];

  void fill(const QuantParameters& p, size_t first, size_t n, bool inverse) {
    for (size_t i = 0; i < n; ++i) {
      const size_t channel = (first + i) / p.run % p.channels;
      factor[i] = inverse ? inverse_of(p, channel) : static_cast<float>(p.scale_of(channel));
      zero_point[i] = static_cast<float>(p.zero_point_of(channel));
    }
  }
};

/// Calls `fn(offset, count, mixed)` for parts of at most kMost elements, whose parameters are
/// prepared for many parts.
template <typename Fn>
void for_each_mixed(const Tensor& t, const QuantParameters& p, bool inverse, const Fn& fn) {
  constexpr size_t kGrain = 16384;
  const size_t total = static_cast<size_t>(t.numel());
  const size_t period = p.channels * p.run;
  if (period <= kMost) {
    const size_t span = kMost / period * period;
    parallel_for((total + span - 1) / span, 1 + kGrain / span, [&](size_t begin, size_t end) {
      Mixed mixed;
      mixed.fill(p, 0, span, inverse);
      for (size_t i = begin; i < end; ++i) {
        const size_t left = total - i * span;
        fn(i * span, left < span ? left : span, mixed);
      }
    });
    return;
  }
  const size_t rows = total / period;
  const size_t blocks = (period + kMost - 1) / kMost;
  parallel_for(blocks, 1 + kGrain / kMost / (1 + rows), [&](size_t begin, size_t end) {
    Mixed mixed;
    for (size_t block = begin; block < end; ++block) {
      const size_t first = block * kMost;
      const size_t n = period - first < kMost ? period - first : kMost;
      mixed.fill(p, first, n, inverse);
      for (size_t row = 0; row < rows; ++row) {
        fn(row * period + first, n, mixed);
      }
    }
  });
}

bool is_byte(ScalarType dtype) { return dtype == ScalarType::Byte || dtype == ScalarType::Char; }

/// Converts whole numbers that the bytes hold; a signed byte has the same bits as an unsigned one.
void store_bytes(const float* from, size_t n, char* to) {
  for (size_t i = 0; i < n; ++i) {
    to[i] = static_cast<char>(static_cast<int32_t>(from[i] == from[i] ? from[i] : 0.0f));
  }
}

struct DtypeRange {
  ScalarType dtype;
  int64_t min;
  int64_t max;
};
constexpr DtypeRange kRanges[] = {
    {ScalarType::Byte, 0, 255},
    {ScalarType::Char, -128, 127},
    {ScalarType::Short, -32768, 32767},
    {ScalarType::UInt16, 0, 65535},
    {ScalarType::Int, INT32_MIN, INT32_MAX},
};

const DtypeRange* range_of(ScalarType dtype) {
  for (const DtypeRange& range : kRanges) {
    if (range.dtype == dtype) {
      return &range;
    }
  }
  return nullptr;
}

/// `store` for all quantized dtypes.
void store_quantized(ScalarType dtype, const float* from, size_t n, char* to) {
  if (is_byte(dtype)) {
    store_bytes(from, n, to);
    return;
  }
  if (dtype != ScalarType::UInt16) {
    store(Compute::kFloat, dtype, from, n, to);
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    const uint16_t value = static_cast<uint16_t>(static_cast<int32_t>(from[i]));
    __builtin_memcpy(to + 2 * i, &value, sizeof(value));
  }
}

/// With the loop of another library; false if there is none for this.
bool quantize_bytes(ScalarType dtype, const float* x, size_t n, float inverse, float zero_point,
                    float low, float high, char* to) {
  if (float_loops.quantize == nullptr || !is_byte(dtype) || low < -kRoundable ||
      high > kRoundable) {
    return false;
  }
  float_loops.quantize(x, n, inverse, zero_point, low, high, reinterpret_cast<uint8_t*>(to));
  return true;
}

bool set_parameters(KernelRuntimeContext& ctx, const Tensor& scales, const Tensor* zero_points,
                    size_t count, QuantParameters& parameters) {
  if (!require_floating(ctx, scales) ||
      !require(ctx, static_cast<size_t>(scales.numel()) == count && is_contiguous(scales),
               "there must be a scale for each channel, contiguous") ||
      (zero_points != nullptr &&
       (!require_real(ctx, *zero_points) ||
        !require(ctx,
                 static_cast<size_t>(zero_points->numel()) == count && is_contiguous(*zero_points),
                 "there must be a zero point for each channel, contiguous")))) {
    return false;
  }
  parameters.scales = View(scales);
  if (zero_points != nullptr) {
    parameters.zero_points = View(*zero_points);
  }
  parameters.channels = count;
  return true;
}

}  // namespace

bool require_quantized(KernelRuntimeContext& ctx, const Tensor& t, ScalarType dtype, int64_t min,
                       int64_t max) {
  const DtypeRange* range = range_of(dtype);
  return require(ctx, range != nullptr, "the dtype is not one of quantized tensors") &&
         require(ctx, t.scalar_type() == dtype, "the quantized tensor does not have the dtype") &&
         require(ctx, min >= range->min && max <= range->max && min <= max,
                 "quant_min and quant_max are out of the dtype's range");
}

QuantParameters whole_tensor(double scale, int64_t zero_point) {
  QuantParameters parameters;
  parameters.scale = scale;
  parameters.zero_point = zero_point;
  return parameters;
}

bool per_channel(KernelRuntimeContext& ctx, const Tensor& t, const Tensor& scales,
                 const Tensor* zero_points, int64_t axis, QuantParameters& parameters) {
  if (!require(ctx, t.dim() > 0, "channels need a dimension") ||
      !wrap_dim(ctx, axis, static_cast<size_t>(t.dim())) ||
      !set_parameters(ctx, scales, zero_points, static_cast<size_t>(t.size(axis)), parameters)) {
    return false;
  }
  parameters.run = static_cast<size_t>(t.strides()[static_cast<size_t>(axis)]);
  return true;
}

bool per_group(KernelRuntimeContext& ctx, const Tensor& t, const Tensor& scales,
               const Tensor* zero_points, int64_t group, QuantParameters& parameters) {
  if (!require(ctx, t.dim() > 0 && group > 0 && t.size(t.dim() - 1) % group == 0,
               "the group must divide the last dimension") ||
      !require(ctx, is_contiguous(t), "groups need a contiguous tensor") ||
      !set_parameters(ctx, scales, zero_points,
                      static_cast<size_t>(t.numel()) / static_cast<size_t>(group), parameters)) {
    return false;
  }
  parameters.run = static_cast<size_t>(group);
  return true;
}

void quantize_floats(ScalarType dtype, float* x, size_t n, float inverse, float zero_point,
                     float low, float high, char* to) {
  if (!quantize_bytes(dtype, x, n, inverse, zero_point, low, high, to)) {
    quantize_run(x, n, inverse, zero_point, low, high);
    store_quantized(dtype, x, n, to);
  }
}

/// Whether neighbours have several channels, and bounds that floats have.
static bool is_mixed(const QuantParameters& p, int64_t min, int64_t max) {
  constexpr int64_t kMostBound = 65535;  // with any zero point of that size, too
  return p.channels > 1 && p.run < kShortRun && min >= -kMostBound && max <= kMostBound;
}

/// `quantize` where each neighbour has its own parameters.
static void quantize_mixed(const View& source, const View& target, const Tensor& in,
                           const QuantParameters& p, int64_t min, int64_t max) {
  const float low = static_cast<float>(min);
  const float high = static_cast<float>(max);
  for_each_mixed(in, p, true, [&](size_t offset, size_t n, const Mixed& mixed) {
    float x[kMost];
    const ptrdiff_t at = static_cast<ptrdiff_t>(offset);
    load(Compute::kFloat, source.dtype, element_at(source, at), 1, n, x);
    for (size_t i = 0; i < n; ++i) {
      const float zero_point = mixed.zero_point[i];
      float q = x[i] * mixed.factor[i];
      q = q < low - zero_point ? low - zero_point : q;
      q = q > high - zero_point ? high - zero_point : q;
      x[i] = ((q + kRound) - kRound) + zero_point;
    }
    store_quantized(target.dtype, x, n, element_at(target, at));
  });
}

void quantize(const Tensor& in, const QuantParameters& p, int64_t min, int64_t max, Tensor& out) {
  const View source(in);
  const View target(out);
  if (is_mixed(p, min, max)) {
    quantize_mixed(source, target, in, p, min, max);
    return;
  }
  for_each_run(in, p, [&](size_t offset, size_t count, size_t channel) {
    const int64_t zero_point = p.zero_point_of(channel);
    const float inverse = inverse_of(p, channel);
    const float low = static_cast<float>(min - zero_point);
    const float high = static_cast<float>(max - zero_point);
    const ptrdiff_t first = static_cast<ptrdiff_t>(offset);
    if (source.dtype == ScalarType::Float &&
        quantize_bytes(target.dtype, reinterpret_cast<const float*>(element_at(source, first)),
                       count, inverse, static_cast<float>(zero_point), low, high,
                       element_at(target, first))) {
      return;
    }
    float buffer[kMost];
    for (size_t done = 0; done < count; done += kMost) {
      const size_t n = count - done < kMost ? count - done : kMost;
      const ptrdiff_t at = static_cast<ptrdiff_t>(offset + done);
      load(Compute::kFloat, source.dtype, element_at(source, at), 1, n, buffer);
      quantize_floats(target.dtype, buffer, n, inverse, static_cast<float>(zero_point), low, high,
                      element_at(target, at));
    }
  });
}

void load_dequantized(ScalarType dtype, const char* from, size_t n, float scale, float zero_point,
                      float* to) {
  if (float_loops.dequantize != nullptr && is_byte(dtype)) {
    float_loops.dequantize(reinterpret_cast<const uint8_t*>(from), n, dtype == ScalarType::Char,
                           scale, zero_point, to);
    return;
  }
  if (dtype == ScalarType::UInt16) {
    for (size_t i = 0; i < n; ++i) {
      uint16_t value;
      __builtin_memcpy(&value, from + 2 * i, sizeof(value));
      to[i] = static_cast<float>(value);
    }
  } else {
    load(Compute::kFloat, dtype, from, 1, n, to);
  }
  for (size_t i = 0; i < n; ++i) {
    to[i] = (to[i] - zero_point) * scale;
  }
}

/// `dequantize` where each neighbour has its own parameters.
static void dequantize_mixed(const View& source, const View& target, const Tensor& in,
                             const QuantParameters& p) {
  for_each_mixed(in, p, false, [&](size_t offset, size_t n, const Mixed& mixed) {
    float x[kMost];
    const ptrdiff_t at = static_cast<ptrdiff_t>(offset);
    load_dequantized(source.dtype, element_at(source, at), n, 1, 0, x);
    for (size_t i = 0; i < n; ++i) {
      x[i] = (x[i] - mixed.zero_point[i]) * mixed.factor[i];
    }
    store(Compute::kFloat, target.dtype, x, n, element_at(target, at));
  });
}

void dequantize(const Tensor& in, const QuantParameters& p, Tensor& out) {
  const View source(in);
  const View target(out);
  if (p.channels > 1 && p.run < kShortRun) {
    dequantize_mixed(source, target, in, p);
    return;
  }
  for_each_run(in, p, [&](size_t offset, size_t count, size_t channel) {
    const float scale = static_cast<float>(p.scale_of(channel));
    const float zero_point = static_cast<float>(p.zero_point_of(channel));
    if (target.dtype == ScalarType::Float) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(offset);
      load_dequantized(source.dtype, element_at(source, at), count, scale, zero_point,
                       reinterpret_cast<float*>(element_at(target, at)));
      return;
    }
    float buffer[kMost];
    for (size_t done = 0; done < count; done += kMost) {
      const size_t n = count - done < kMost ? count - done : kMost;
      const ptrdiff_t at = static_cast<ptrdiff_t>(offset + done);
      load_dequantized(source.dtype, element_at(source, at), n, scale, zero_point, buffer);
      store(Compute::kFloat, target.dtype, buffer, n, element_at(target, at));
    }
  });
}

}  // namespace torch::executor::native::util
