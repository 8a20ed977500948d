/**
 * @file
 * Weighted sums of a few lines, and of a few columns of one: what resampling an image is made of. A
 * part of simd_loops.h, where its use is described.
 */
#pragma once

#include <executorch/kernels/optimized/cpu/simd_elementwise.h>

namespace torch::executor::native::optimized {
namespace {

template <size_t kTaps>
ET_TARGET inline Vector mixed(const float* const* lines, const Vector* weight, size_t at) {
  Vector sum = load(lines[0] + at) * weight[0];
  ET_UNROLL
  for (size_t k = 1; k < kTaps; ++k) {
    sum += load(lines[k] + at) * weight[k];
  }
  return sum;
}

template <size_t kTaps>
ET_TARGET void mix(const float* const* lines, const float* weights, size_t n, float* out) {
  if (n < kLanes) {
    for (size_t i = 0; i < n; ++i) {
      float sum = lines[0][i] * weights[0];
      for (size_t k = 1; k < kTaps; ++k) {
        sum += lines[k][i] * weights[k];
      }
      out[i] = sum;
    }
    return;
  }
  Vector weight[kTaps];
  ET_UNROLL
  for (size_t k = 0; k < kTaps; ++k) {
    weight[k] = broadcast(weights[k]);
  }
  // The first and the last vector overlap with their neighbours, of which those of long lines are
  // aligned.
  size_t i = 0;
  const size_t head = unaligned(out, n);
  if (head > 0) {
    store(mixed<kTaps>(lines, weight, 0), out);
    i = head;
  }
  for (; i + kLanes <= n; i += kLanes) {
    store(mixed<kTaps>(lines, weight, i), out + i);
  }
  if (i < n) {
    store(mixed<kTaps>(lines, weight, n - kLanes), out + n - kLanes);
  }
}

ET_TARGET void mix_lines(const float* const* lines, const float* weights, size_t taps, size_t n,
                         float* out) {
  if (taps == 2) {
    mix<2>(lines, weights, n, out);
  } else if (taps == 4) {
    mix<4>(lines, weights, n, out);
  } else {
    mix<16>(lines, weights, n, out);
  }
}

/// One element at a time: instructions that gather elements are slower on many processors.
template <size_t kTaps>
ET_TARGET void gather(const float* line, const int32_t* index, const float* weight, size_t stride,
                      size_t begin, size_t n, float* out) {
#if defined(__clang__)
#pragma clang loop vectorize(disable)
#endif
  for (size_t i = begin; i < n; ++i) {
    float sum = line[index[i]] * weight[i];
    ET_UNROLL
    for (size_t k = 1; k < kTaps; ++k) {
      sum += line[index[k * stride + i]] * weight[k * stride + i];
    }
    out[i] = sum;
  }
}

#if ET_VECTOR_BYTES == 64

/// Where the elements that a vector of columns mixes begin, if two vectors hold all of them; else
/// -1.
ET_TARGET void find_windows(const int32_t* index, size_t stride, size_t taps, size_t n,
                            int32_t* window) {
  for (size_t i = 0; i < n; i += kLanes) {
    int32_t least = index[i];
    int32_t most = least;
    for (size_t k = 0; k < taps; ++k) {
      for (size_t l = i; l < i + kLanes && l < n; ++l) {
        const int32_t at = index[k * stride + l];
        least = at < least ? at : least;
        most = at > most ? at : most;
      }
    }
    const bool fits = i + kLanes <= n && most - least < static_cast<int32_t>(2 * kLanes);
    window[i / kLanes] = fits ? least : -1;
  }
}

/// The elements from `from` on that are in front of `length`.
ET_TARGET inline Vector load_before(const float* line, size_t from, size_t length) {
  const size_t left = length > from ? length - from : 0;
  const uint32_t mask = left >= kLanes ? 0xffffu : (1u << left) - 1u;
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), line + from);
}

template <size_t kTaps>
ET_TARGET void mix_windows(const float* line, size_t length, const int32_t* window,
                           const int32_t* index, const float* weight, size_t stride, size_t n,
                           float* out) {
  size_t i = 0;
  for (; i < n; i += kLanes) {
    const int32_t first = window[i / kLanes];
    if (first < 0) {
      gather<kTaps>(line, index, weight, stride, i, i + kLanes < n ? i + kLanes : n, out);
      continue;
    }
    const Vector low = load_before(line, static_cast<size_t>(first), length);
    const Vector high = load_before(line, static_cast<size_t>(first) + kLanes, length);
    const __m512i base = _mm512_set1_epi32(first);
    Vector sum = {};
    ET_UNROLL
    for (size_t k = 0; k < kTaps; ++k) {
      const __m512i at = _mm512_sub_epi32(_mm512_loadu_si512(index + k * stride + i), base);
      const Vector picked = _mm512_permutex2var_ps(low, at, high);
      sum += picked * load(weight + k * stride + i);
    }
    store(sum, out + i);
  }
}

#else

ET_TARGET void find_windows(const int32_t* /*index*/, size_t /*stride*/, size_t /*taps*/,
                            size_t /*n*/, int32_t* /*window*/) {}

template <size_t kTaps>
ET_TARGET void mix_windows(const float* line, size_t /*length*/, const int32_t* /*window*/,
                           const int32_t* index, const float* weight, size_t stride, size_t n,
                           float* out) {
  gather<kTaps>(line, index, weight, stride, 0, n, out);
}

#endif

ET_TARGET void mix_columns(const float* line, size_t length, const ColumnMix& mix, float* out) {
  if (mix.taps == 2) {
    mix_windows<2>(line, length, mix.window, mix.index, mix.weight, mix.stride, mix.count, out);
  } else {
    mix_windows<4>(line, length, mix.window, mix.index, mix.weight, mix.stride, mix.count, out);
  }
}

}  // namespace
}  // namespace torch::executor::native::optimized
