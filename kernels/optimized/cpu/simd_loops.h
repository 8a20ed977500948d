/**
 * @file
 * The loops of `SimdLoops` for one instruction set; each of the files that include this one has
 * them for another.
 *
 * Such a file defines, before it includes this:
 *     ET_TARGET         the attribute of functions that may use the instructions
 *     ET_VECTOR_BYTES   the size of a vector
 *     ET_TILE_ROWS, ET_TILE_VECTORS   the tile that fits the registers; rows are 4 or 8
 *
 * Every function here has the attribute, and internal linkage, so that nothing of it serves the
 * rest of the program.
 */
#pragma once

#include <executorch/kernels/optimized/cpu/simd_attention.h>
#include <executorch/kernels/optimized/cpu/simd_columns.h>
#include <executorch/kernels/optimized/cpu/simd_convolution.h>
#include <executorch/kernels/optimized/cpu/simd_copy.h>
#include <executorch/kernels/optimized/cpu/simd_elementwise.h>
#include <executorch/kernels/optimized/cpu/simd_integers.h>
#include <executorch/kernels/optimized/cpu/simd_math.h>
#include <executorch/kernels/optimized/cpu/simd_resample.h>
#include <executorch/kernels/optimized/cpu/simd_search.h>

namespace torch::executor::native::optimized {
namespace {

ET_TARGET void add_scaled(float* acc, const float* x, size_t n, float w) {
  const Vector factor = broadcast(w);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(load(acc + i) + load(x + i) * factor, acc + i);
  }
  for (; i < n; ++i) {
    acc[i] += w * x[i];
  }
}

/// The more extreme of two; of NaN and a number any.
template <bool kLargest, typename T>
ET_TARGET inline T extreme_of(T best, T x) {
  return kLargest ? (x > best ? x : best) : (x < best ? x : best);
}

/// NaN wins. As integers, the bits without the sign are larger than those of infinity, which is
/// less work than to carry a NaN along.
template <bool kLargest>
ET_TARGET float extreme(const float* x, size_t n) {
  constexpr size_t kVectors = 4;
  Vector best[kVectors];
  IntVector bits[kVectors];
  ET_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    best[v] = broadcast(x[0]);
    bits[v] = IntVector{};
  }
  size_t i = 0;
  for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      const Vector value = load(x + i + v * kLanes);
      IntVector magnitude;
      std::memcpy(&magnitude, &value, sizeof(magnitude));
      magnitude &= INT32_MAX;
      best[v] = extreme_of<kLargest>(best[v], value);
      bits[v] = magnitude > bits[v] ? magnitude : bits[v];
    }
  }
  float lane[kLanes];
  int32_t most[kLanes];
  store(extreme_of<kLargest>(extreme_of<kLargest>(best[0], best[1]),
                             extreme_of<kLargest>(best[2], best[3])),
        lane);
  const IntVector low = bits[0] > bits[1] ? bits[0] : bits[1];
  const IntVector high = bits[2] > bits[3] ? bits[2] : bits[3];
  const IntVector all = low > high ? low : high;
  std::memcpy(most, &all, sizeof(most));
  constexpr int32_t kInfinityBits = 0x7f800000;
  float result = x[0];
  for (size_t l = 0; l < kLanes; ++l) {
    if (most[l] > kInfinityBits) {
      return __builtin_nanf("");
    }
    result = extreme_of<kLargest>(result, lane[l]);
  }
  for (; i < n; ++i) {
    if (x[i] != x[i]) {
      return x[i];
    }
    result = extreme_of<kLargest>(result, x[i]);
  }
  return result;
}

ET_TARGET void keep_larger(const float* x, size_t n, int32_t first, int32_t step, float* best,
                           int32_t* index) {
  IntVector at;
  for (size_t l = 0; l < kLanes; ++l) {
    at[l] = first + static_cast<int32_t>(l) * step;
  }
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vector value = load(x + i);
    const Vector old = load(best + i);
    IntVector where;
    std::memcpy(&where, index + i, sizeof(where));
    const IntVector better = (value > old) | (value != value);
    store(better ? value : old, best + i);
    where = better ? at : where;
    std::memcpy(index + i, &where, sizeof(where));
    at += static_cast<int32_t>(kLanes) * step;
  }
  for (; i < n; ++i) {
    if (x[i] > best[i] || x[i] != x[i]) {
      best[i] = x[i];
      index[i] = first + static_cast<int32_t>(i) * step;
    }
  }
}

/// As many doubles as a vector has floats: two vectors.
typedef double WideVector __attribute__((vector_size(2 * ET_VECTOR_BYTES)));

/// Sums that do not wait for each other; an addition takes several cycles, of which each begins
/// two.
constexpr size_t kSums = 8;

ET_TARGET inline double sum_of(const Vector (&s)[kSums]) {
  return sum_lanes(((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
}

ET_TARGET double sum(const float* x, size_t n) {
  Vector s[kSums] = {};
  size_t i = 0;
  for (; i + kSums * kLanes <= n; i += kSums * kLanes) {
    ET_UNROLL
    for (size_t v = 0; v < kSums; ++v) {
      s[v] += load(x + i + v * kLanes);
    }
  }
  for (; i + kLanes <= n; i += kLanes) {
    s[0] += load(x + i);
  }
  double total = sum_of(s);
  for (; i < n; ++i) {
    total += x[i];
  }
  return total;
}

ET_TARGET void add_floats(double* acc, const float* x, size_t n) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const WideVector wide = __builtin_convertvector(load(x + i), WideVector);
    WideVector sum;
    std::memcpy(&sum, acc + i, sizeof(sum));
    sum += wide;
    std::memcpy(acc + i, &sum, sizeof(sum));
  }
  for (; i < n; ++i) {
    acc[i] += x[i];
  }
}

ET_TARGET double squared_distances(const float* x, size_t n, float mean) {
  const Vector middle = broadcast(mean);
  Vector s[kSums] = {};
  size_t i = 0;
  for (; i + kSums * kLanes <= n; i += kSums * kLanes) {
    ET_UNROLL
    for (size_t v = 0; v < kSums; ++v) {
      const Vector distance = load(x + i + v * kLanes) - middle;
      s[v] += distance * distance;
    }
  }
  for (; i + kLanes <= n; i += kLanes) {
    const Vector distance = load(x + i) - middle;
    s[0] += distance * distance;
  }
  double total = sum_of(s);
  for (; i < n; ++i) {
    total += (x[i] - mean) * (x[i] - mean);
  }
  return total;
}

ET_TARGET void normalize(const float* x, size_t n, float mean, float rstd, const float* weight,
                         const float* bias, float* out) {
  const Vector middle = broadcast(mean);
  const Vector by = broadcast(rstd);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store((load(x + i) - middle) * by * load(weight + i) + load(bias + i), out + i);
  }
  for (; i < n; ++i) {
    out[i] = (x[i] - mean) * rstd * weight[i] + bias[i];
  }
}

ET_TARGET void scale(const float* x, size_t n, float factor, float* out) {
  const Vector by = broadcast(factor);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(load(x + i) * by, out + i);
  }
  for (; i < n; ++i) {
    out[i] = x[i] * factor;
  }
}

/// Four bytes of each lane to one, and back.
typedef uint8_t ByteVector __attribute__((vector_size(ET_VECTOR_BYTES / 4)));
typedef int8_t SignedByteVector __attribute__((vector_size(ET_VECTOR_BYTES / 4)));

ET_TARGET inline Vector quantized_of(Vector x, float inverse, float zero_point, float low,
                                     float high) {
  const Vector least = broadcast(low);
  const Vector most = broadcast(high);
  Vector q = x * inverse;
  q = q < least ? least : q;
  q = q > most ? most : q;
  // Beyond 2^23 there are no fractions: the sum rounds.
  constexpr float kRound = 12582912.0f;
  return ((q + kRound) - kRound) + zero_point;
}

/// NaN becomes 0, as where bytes are converted one at a time.
ET_TARGET inline ByteVector byte_of(Vector q) {
  const IntVector integers = __builtin_convertvector(q == q ? q : Vector{}, IntVector);
  return __builtin_convertvector(integers, ByteVector);
}

ET_TARGET void quantize(const float* x, size_t n, float inverse, float zero_point, float low,
                        float high, uint8_t* q) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const ByteVector bytes = byte_of(quantized_of(load(x + i), inverse, zero_point, low, high));
    std::memcpy(q + i, &bytes, sizeof(bytes));
  }
  if (i < n) {
    float rest[kLanes] = {};
    std::memcpy(rest, x + i, (n - i) * sizeof(float));
    const ByteVector bytes = byte_of(quantized_of(load(rest), inverse, zero_point, low, high));
    std::memcpy(q + i, &bytes, n - i);
  }
}

template <typename Bytes>
ET_TARGET inline Vector dequantized_of(Bytes q, float scale, float zero_point) {
  return (__builtin_convertvector(q, Vector) - zero_point) * scale;
}

template <typename Bytes>
ET_TARGET inline void dequantize_bytes(const uint8_t* q, size_t n, float scale, float zero_point,
                                       float* x) {
  Bytes bytes = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    std::memcpy(&bytes, q + i, sizeof(bytes));
    store(dequantized_of(bytes, scale, zero_point), x + i);
  }
  if (i < n) {
    std::memcpy(&bytes, q + i, n - i);
    const Vector rest = dequantized_of(bytes, scale, zero_point);
    std::memcpy(x + i, &rest, (n - i) * sizeof(float));
  }
}

ET_TARGET void dequantize(const uint8_t* q, size_t n, bool is_signed, float scale, float zero_point,
                          float* x) {
  if (is_signed) {
    dequantize_bytes<SignedByteVector>(q, n, scale, zero_point, x);
  } else {
    dequantize_bytes<ByteVector>(q, n, scale, zero_point, x);
  }
}

ET_TARGET void exp_loop(const float* x, size_t n, float shift, float* out) {
  const Vector by = broadcast(shift);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(exp_of(load(x + i) - by), out + i);
  }
  for (; i < n; ++i) {
    out[i] = util::fast_exp(x[i] - shift);
  }
}

/// exp_loop and the sum of its results.
ET_TARGET double exp_sum(const float* x, size_t n, float shift, float* out) {
  const Vector by = broadcast(shift);
  Vector total[2] = {};
  size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    const Vector e0 = exp_of(load(x + i) - by);
    const Vector e1 = exp_of(load(x + i + kLanes) - by);
    store(e0, out + i);
    store(e1, out + i + kLanes);
    total[0] += e0;
    total[1] += e1;
  }
  double sum = sum_lanes(total[0] + total[1]);
  for (; i < n; ++i) {
    out[i] = util::fast_exp(x[i] - shift);
    sum += out[i];
  }
  return sum;
}

constexpr util::FloatLoops kLoops = {
    multiply_panel,    dot_rows,         add_scaled,     exp_loop,
    each<gelu_of>,     each<sigmoid_of>, each<tanh_of>,  each<exp_of>,
    extreme<true>,     extreme<false>,   exp_sum,        sum,
    squared_distances, normalize,        scale,          even,
    keep_larger,       nullptr,          nullptr,        nullptr,
    transpose,         add_floats,       quantize,       dequantize,
    copy_lines,        add_products,     multiply_lines, add_lines};

constexpr SimdLoops kSimdLoops = {kLanes,
                                  kTileRows,
                                  kTileVectors,
                                  tile,
                                  dot,
                                  transpose,
                                  depthwise,
                                  pad_lines,
                                  mix_lines,
                                  find_windows,
                                  mix_columns,
                                  extreme_columns<true>,
                                  extreme_columns<false>,
                                  sum_columns,
                                  softmax_columns,
                                  average_lines,
                                  largest_lines,
                                  weigh_pixels,
                                  slide_pixels,
                                  sum_columns_so_far,
                                  find,
                                  extreme_places<true>,
                                  extreme_places<false>,
                                  product,
                                  product_columns,
                                  kElementwise,
                                  kLoops};

}  // namespace
}  // namespace torch::executor::native::optimized
