/**
 * @file
 * Where elements are, and products of lines and columns. A part of simd_loops.h, where its use is
 * described.
 */
#pragma once

#include <executorch/kernels/optimized/cpu/simd_columns.h>

namespace torch::executor::native::optimized {
namespace {

ET_TARGET inline bool is_any(IntVector v) {
  int64_t part[ET_VECTOR_BYTES / sizeof(int64_t)];
  std::memcpy(part, &v, sizeof(part));
  int64_t all = 0;
  for (const int64_t bits : part) {
    all |= bits;
  }
  return all != 0;
}

template <bool kNan>
ET_TARGET inline size_t find_first(const float* x, size_t n, float value) {
  constexpr size_t kBlock = 8;
  const Vector wanted = broadcast(value);
  size_t i = 0;
  for (; i + kBlock * kLanes <= n; i += kBlock * kLanes) {
    IntVector found = {};
    ET_UNROLL
    for (size_t v = 0; v < kBlock; ++v) {
      const Vector some = load(x + i + v * kLanes);
      found |= kNan ? some != some : some == wanted;
    }
    if (is_any(found)) {
      break;
    }
  }
  for (; i + kLanes <= n; i += kLanes) {
    const Vector some = load(x + i);
    if (is_any(kNan ? some != some : some == wanted)) {
      break;
    }
  }
  while (i < n && !(kNan ? x[i] != x[i] : x[i] == value)) {
    ++i;
  }
  return i;
}

ET_TARGET size_t find(const float* x, size_t n, float value) {
  return value != value ? find_first<true>(x, n, value) : find_first<false>(x, n, value);
}

template <bool kLargest, size_t kVectors>
ET_TARGET inline void extreme_places_strip(const float* x, size_t rows, size_t stride, size_t n,
                                           float* best, int32_t* place) {
  Vector value[kVectors];
  IntVector at[kVectors] = {};
  ET_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    value[v] = load_some(x + v * kLanes, n);
  }
  for (size_t r = 1; r < rows; ++r) {
    const IntVector row = IntVector{} + static_cast<int32_t>(r);
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      const Vector next = load_some(x + r * stride + v * kLanes, n);
      // The first NaN stays.
      const IntVector extreme = kLargest ? next > value[v] : next < value[v];
      const IntVector better = extreme | ((next != next) & (value[v] == value[v]));
      value[v] = better ? next : value[v];
      at[v] = better ? row : at[v];
    }
  }
  ET_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    store_some(value[v], best + v * kLanes, n);
    std::memcpy(place + v * kLanes, &at[v], (n < kLanes ? n : kLanes) * sizeof(int32_t));
  }
}

template <bool kLargest>
ET_TARGET void extreme_places(const float* x, size_t rows, size_t stride, size_t n, float* best,
                              int32_t* place) {
  size_t i = 0;
  for (; i + kStrip * kLanes <= n; i += kStrip * kLanes) {
    extreme_places_strip<kLargest, kStrip>(x + i, rows, stride, kLanes, best + i, place + i);
  }
  for (; i < n; i += kLanes) {
    extreme_places_strip<kLargest, 1>(x + i, rows, stride, n - i, best + i, place + i);
  }
}

ET_TARGET float product(const float* x, size_t n) {
  constexpr size_t kVectors = 8;
  Vector all[kVectors];
  ET_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    all[v] = broadcast(1.0f);
  }
  size_t i = 0;
  for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      all[v] *= load(x + i + v * kLanes);
    }
  }
  for (; i + kLanes <= n; i += kLanes) {
    all[0] *= load(x + i);
  }
  float lane[kLanes];
  store(((all[0] * all[1]) * (all[2] * all[3])) * ((all[4] * all[5]) * (all[6] * all[7])), lane);
  // By halves: each product waits for those before it.
  ET_UNROLL
  for (size_t half = kLanes / 2; half > 0; half /= 2) {
    ET_UNROLL
    for (size_t l = 0; l < half; ++l) {
      lane[l] *= lane[l + half];
    }
  }
  float result = lane[0];
  for (; i < n; ++i) {
    result *= x[i];
  }
  return result;
}

template <size_t kVectors>
ET_TARGET inline void product_strip(const float* x, size_t rows, size_t stride, size_t n,
                                    float* out) {
  Vector all[kVectors];
  ET_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    all[v] = load_some(x + v * kLanes, n);
  }
  for (size_t r = 1; r < rows; ++r) {
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      all[v] *= load_some(x + r * stride + v * kLanes, n);
    }
  }
  ET_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    store_some(all[v], out + v * kLanes, n);
  }
}

ET_TARGET void product_columns(const float* x, size_t rows, size_t stride, size_t n, float* out) {
  size_t i = 0;
  for (; i + kStrip * kLanes <= n; i += kStrip * kLanes) {
    product_strip<kStrip>(x + i, rows, stride, kLanes, out + i);
  }
  for (; i < n; i += kLanes) {
    product_strip<1>(x + i, rows, stride, n - i, out + i);
  }
}

}  // namespace
}  // namespace torch::executor::native::optimized
