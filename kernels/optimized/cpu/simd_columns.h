/**
 * @file
 * Reductions of neighbouring columns at once, and sums of lines. A part of simd_loops.h, where its
 * use is described.
 */
#pragma once

#include <executorch/kernels/optimized/cpu/simd_math.h>

namespace torch::executor::native::optimized {
namespace {

/// A vector's elements, or the first few of a line's end; the others are 0.
ET_TARGET inline Vector load_some(const float* from, size_t n) {
  if (n >= kLanes) {
    return load(from);
  }
  Vector v = {};
  std::memcpy(&v, from, n * sizeof(float));
  return v;
}

ET_TARGET inline void store_some(Vector v, float* to, size_t n) {
  std::memcpy(to, &v, (n >= kLanes ? kLanes : n) * sizeof(float));
}

/// NaN of either stays.
template <bool kLargest>
ET_TARGET inline Vector extreme_or_nan(Vector best, Vector x) {
  const IntVector better = kLargest ? x > best : x < best;
  return (better | (x != x)) ? x : best;
}

/// Columns whose vectors are in registers at a time: four chains of dependent operations.
constexpr size_t kStrip = 4;

template <bool kLargest>
ET_TARGET void extreme_columns(const float* x, size_t rows, size_t stride, size_t n, float* out) {
  size_t i = 0;
  for (; i + kStrip * kLanes <= n; i += kStrip * kLanes) {
    Vector best[kStrip];
    ET_UNROLL
    for (size_t v = 0; v < kStrip; ++v) {
      best[v] = load(x + i + v * kLanes);
    }
    for (size_t r = 1; r < rows; ++r) {
      ET_UNROLL
      for (size_t v = 0; v < kStrip; ++v) {
        best[v] = extreme_or_nan<kLargest>(best[v], load(x + r * stride + i + v * kLanes));
      }
    }
    ET_UNROLL
    for (size_t v = 0; v < kStrip; ++v) {
      store(best[v], out + i + v * kLanes);
    }
  }
  for (; i < n; i += kLanes) {
    Vector best = load_some(x + i, n - i);
    for (size_t r = 1; r < rows; ++r) {
      best = extreme_or_nan<kLargest>(best, load_some(x + r * stride + i, n - i));
    }
    store_some(best, out + i, n - i);
  }
}

/// Sums of so many rows are added up, lest small numbers vanish beside a large sum.
constexpr size_t kSumRows = 32;

template <size_t kVectors>
ET_TARGET inline void sum_strip(const float* x, size_t rows, size_t stride, size_t n, float factor,
                                float* out) {
  Vector total[kVectors] = {};
  for (size_t first = 0; first < rows; first += kSumRows) {
    const size_t end = rows - first < kSumRows ? rows : first + kSumRows;
    Vector sum[kVectors] = {};
    for (size_t r = first; r < end; ++r) {
      ET_UNROLL
      for (size_t v = 0; v < kVectors; ++v) {
        sum[v] += load_some(x + r * stride + v * kLanes, n);
      }
    }
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      total[v] += sum[v];
    }
  }
  ET_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    store_some(total[v] * factor, out + v * kLanes, n);
  }
}

ET_TARGET void sum_columns(const float* x, size_t rows, size_t stride, size_t n, float factor,
                           float* out) {
  size_t i = 0;
  for (; i + kStrip * kLanes <= n; i += kStrip * kLanes) {
    sum_strip<kStrip>(x + i, rows, stride, kLanes, factor, out + i);
  }
  for (; i < n; i += kLanes) {
    sum_strip<1>(x + i, rows, stride, n - i, factor, out + i);
  }
}

template <size_t kVectors>
ET_TARGET inline void softmax_strip(const float* x, size_t rows, size_t stride, size_t n,
                                    bool logarithm, float* out) {
  Vector most[kVectors];
  Vector sum[kVectors] = {};
  ET_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    most[v] = load_some(x + v * kLanes, n);
  }
  for (size_t r = 1; r < rows; ++r) {
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      most[v] = extreme_or_nan<true>(most[v], load_some(x + r * stride + v * kLanes, n));
    }
  }
  for (size_t r = 0; r < rows; ++r) {
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      const Vector e = exp_of(load_some(x + r * stride + v * kLanes, n) - most[v]);
      sum[v] += e;
      if (!logarithm) {
        store_some(e, out + r * stride + v * kLanes, n);
      }
    }
  }
  ET_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    most[v] += logarithm ? log_of(sum[v]) : Vector{};
    sum[v] = 1.0f / sum[v];
  }
  for (size_t r = 0; r < rows; ++r) {
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t at = r * stride + v * kLanes;
      store_some(logarithm ? load_some(x + at, n) - most[v] : load_some(out + at, n) * sum[v],
                 out + at, n);
    }
  }
}

ET_TARGET void softmax_columns(const float* x, size_t rows, size_t stride, size_t n, bool logarithm,
                               float* out) {
  size_t i = 0;
  for (; i + kStrip * kLanes <= n; i += kStrip * kLanes) {
    softmax_strip<kStrip>(x + i, rows, stride, kLanes, logarithm, out + i);
  }
  for (; i < n; i += kLanes) {
    softmax_strip<1>(x + i, rows, stride, n - i, logarithm, out + i);
  }
}

/// A strip of vectors of lines; `n` are the elements of the last of them.
template <size_t kVectors>
ET_TARGET inline void average_strip(const float* const* lines, size_t count, size_t at, size_t n,
                                    Vector divisor, float* out) {
  Vector sum[kVectors] = {};
  for (size_t k = 0; k < count; ++k) {
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      sum[v] += load_some(lines[k] + at + v * kLanes, n);
    }
  }
  ET_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    store_some(sum[v] / divisor, out + at + v * kLanes, n);
  }
}

ET_TARGET void average_lines(const float* const* lines, size_t count, size_t n, float divisor,
                             float* out) {
  const Vector by = broadcast(divisor);
  size_t i = 0;
  for (; i + kStrip * kLanes <= n; i += kStrip * kLanes) {
    average_strip<kStrip>(lines, count, i, kLanes, by, out);
  }
  for (; i < n; i += kLanes) {
    average_strip<1>(lines, count, i, n - i, by, out);
  }
}

template <size_t kVectors>
ET_TARGET inline void largest_strip(const float* const* lines, const int32_t* places, size_t count,
                                    size_t at, size_t n, float* out, int64_t* index) {
  typedef int64_t LongVector __attribute__((vector_size(2 * ET_VECTOR_BYTES)));
  Vector best[kVectors];
  IntVector where[kVectors];
  ET_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    best[v] = broadcast(-__builtin_inff());
    where[v] = IntVector{} + places[0];
  }
  for (size_t k = 0; k < count; ++k) {
    const IntVector place = IntVector{} + places[k];
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      const Vector x = load_some(lines[k] + at + v * kLanes, n);
      const IntVector better = (x > best[v]) | (x != x);
      best[v] = better ? x : best[v];
      where[v] = better ? place : where[v];
    }
  }
  ET_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    store_some(best[v], out + at + v * kLanes, n);
    const LongVector wide = __builtin_convertvector(where[v], LongVector);
    std::memcpy(index + at + v * kLanes, &wide, (n < kLanes ? n : kLanes) * sizeof(int64_t));
  }
}

ET_TARGET void largest_lines(const float* const* lines, const int32_t* places, size_t count,
                             size_t n, float* out, int64_t* index) {
  size_t i = 0;
  for (; i + kStrip * kLanes <= n; i += kStrip * kLanes) {
    largest_strip<kStrip>(lines, places, count, i, kLanes, out, index);
  }
  for (; i < n; i += kLanes) {
    largest_strip<1>(lines, places, count, i, n - i, out, index);
  }
}

/// A vector of channels of some pixels; `n` are its elements.
template <size_t kTaps>
ET_TARGET inline void weigh_some(const WeighedPixels& w, size_t at, size_t n, float* out) {
  const size_t taps = kTaps != 0 ? kTaps : w.taps;
  Vector weight[kTaps != 0 ? kTaps : 1];
  ET_UNROLL
  for (size_t k = 0; k < kTaps; ++k) {
    weight[k] = load_some(w.weights + k * w.channels + at, n);
  }
  const Vector start = w.bias == nullptr ? Vector{} : load_some(w.bias + at, n);
  const float* const* pixel = w.pixels;
  for (size_t i = 0; i < w.count; ++i, pixel += taps) {
    Vector sum = start;
    if constexpr (kTaps != 0) {
      ET_UNROLL
      for (size_t k = 0; k < kTaps; ++k) {
        sum += load_some(pixel[k] + at, n) * weight[k];
      }
    } else {
      for (size_t k = 0; k < taps; ++k) {
        sum += load_some(pixel[k] + at, n) * load_some(w.weights + k * w.channels + at, n);
      }
    }
    store_some(sum, out + i * w.channels + at, n);
  }
}

ET_TARGET void weigh_pixels(const WeighedPixels& w, float* out) {
  constexpr size_t kCommonTaps = 9;
  size_t at = 0;
  for (; at + kLanes <= w.channels; at += kLanes) {
    if (w.taps == kCommonTaps) {
      weigh_some<kCommonTaps>(w, at, kLanes, out);
    } else {
      weigh_some<0>(w, at, kLanes, out);
    }
  }
  if (at < w.channels) {
    weigh_some<0>(w, at, w.channels - at, out);
  }
}

/// A vector of channels of a line of pixels: each pixel is read once, and counts for three of the
/// output.
ET_TARGET inline void slide_some(const SlidingPixels& s, size_t at, size_t n, float* out) {
  constexpr size_t kTaps = 3;
  Vector weight[kTaps][kTaps];
  ET_UNROLL
  for (size_t y = 0; y < kTaps; ++y) {
    ET_UNROLL
    for (size_t x = 0; x < kTaps; ++x) {
      weight[y][x] = load_some(s.weights + (y * kTaps + x) * s.channels + at, n);
    }
  }
  const Vector start = s.bias == nullptr ? Vector{} : load_some(s.bias + at, n);
  Vector behind = start;  // of the output pixel before the one below the input pixel
  Vector here = start;
  // Without padding the outermost pixels of the output are missing.
  const size_t first = s.padded ? 0 : 1;
  for (size_t i = 0; i < s.width; ++i) {
    Vector ahead = start;
    ET_UNROLL
    for (size_t y = 0; y < kTaps; ++y) {
      const Vector v = load_some(s.lines[y] + i * s.step[y] + at, n);
      ahead += v * weight[y][0];
      here += v * weight[y][1];
      behind += v * weight[y][2];
    }
    if (i > first) {
      store_some(behind, out + (i - 1 - first) * s.channels + at, n);
    }
    behind = here;
    here = ahead;
  }
  if (s.padded) {
    store_some(behind, out + (s.width - 1) * s.channels + at, n);
  }
}

ET_TARGET void slide_pixels(const SlidingPixels& s, float* out) {
  size_t at = 0;
  for (; at + kLanes <= s.channels; at += kLanes) {
    slide_some(s, at, kLanes, out);
  }
  if (at < s.channels) {
    slide_some(s, at, s.channels - at, out);
  }
}

typedef double WideVector __attribute__((vector_size(2 * ET_VECTOR_BYTES)));

template <size_t kVectors>
ET_TARGET inline void running_sums(const float* x, size_t rows, size_t stride, size_t n,
                                   double* sums, float* out) {
  WideVector sum[kVectors] = {};
  std::memcpy(sum, sums, (kVectors - 1) * sizeof(WideVector) + n * sizeof(double));
  for (size_t r = 0; r < rows; ++r) {
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t at = r * stride + v * kLanes;
      sum[v] += __builtin_convertvector(load_some(x + at, n), WideVector);
      store_some(__builtin_convertvector(sum[v], Vector), out + at, n);
    }
  }
  std::memcpy(sums, sum, (kVectors - 1) * sizeof(WideVector) + n * sizeof(double));
}

ET_TARGET void sum_columns_so_far(const float* x, size_t rows, size_t stride, size_t n,
                                  double* sums, float* out) {
  constexpr size_t kVectors = 2;
  size_t i = 0;
  for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
    running_sums<kVectors>(x + i, rows, stride, kLanes, sums + i, out + i);
  }
  for (; i < n; i += kLanes) {
    running_sums<1>(x + i, rows, stride, n - i < kLanes ? n - i : kLanes, sums + i, out + i);
  }
}

}  // namespace
}  // namespace torch::executor::native::optimized
