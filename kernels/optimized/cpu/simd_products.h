/**
 * @file
 * The first part of simd_loops.h, where its use is described: vectors, and the loops of products.
 */
#pragma once

#include <cstring>
#include <utility>

#if ET_VECTOR_BYTES == 64
#include <immintrin.h>
#endif

#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/cpu/internal/vmath.h>

#if defined(__clang__)
#define ET_UNROLL _Pragma("clang loop unroll(full)")
#if defined(__riscv)
// Without vector registers some of these loops stay loops, which is slow there and not wrong.
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#else
#define ET_UNROLL _Pragma("GCC unroll 16")
#endif

namespace torch::executor::native::optimized {
namespace {

typedef float Vector __attribute__((vector_size(ET_VECTOR_BYTES)));
typedef int32_t IntVector __attribute__((vector_size(ET_VECTOR_BYTES)));
constexpr size_t kLanes = ET_VECTOR_BYTES / sizeof(float);
constexpr size_t kTileRows = ET_TILE_ROWS;
constexpr size_t kTileVectors = ET_TILE_VECTORS;

ET_TARGET inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}

ET_TARGET inline void store(Vector v, float* to) { std::memcpy(to, &v, sizeof(v)); }

/// Taking away zero changes nothing, and compiles to nothing.
ET_TARGET inline Vector broadcast(float x) { return x - Vector{}; }

/// As util::vmath::polynomial.
template <size_t kCount>
ET_TARGET inline Vector polynomial(const float (&c)[kCount], Vector x) {
  Vector p = broadcast(c[0]);
  ET_UNROLL
  for (size_t i = 1; i < kCount; ++i) {
    p = p * x + c[i];
  }
  return p;
}

/// v[i] + v[i ^ kStep].
template <size_t kStep, size_t... kIndex>
ET_TARGET inline Vector fold(Vector v, std::index_sequence<kIndex...>) {
  return v + __builtin_shufflevector(v, v, static_cast<int>(kIndex ^ kStep)...);
}

template <size_t kStep = kLanes / 2>
ET_TARGET inline float sum_lanes(Vector v) {
  v = fold<kStep>(v, std::make_index_sequence<kLanes>());
  if constexpr (kStep > 1) {
    return sum_lanes<kStep / 2>(v);
  } else {
    return v[0];
  }
}

template <size_t kRows, size_t kVectors>
ET_TARGET void multiply(const Tile& t) {
  Vector acc[kRows][kVectors];
  ET_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      acc[r][v] = t.start == Tile::Start::kZero      ? Vector{}
                  : t.start == Tile::Start::kRowBias ? broadcast(t.bias[r])
                  : t.start == Tile::Start::kColumnBias
                      ? load(t.bias + v * kLanes)
                      : load(t.out + static_cast<ptrdiff_t>(r) * t.out_stride + v * kLanes);
    }
  }
  // Every third row has a pointer; one and two strides from it lie the others, as addressing modes
  // go.
  const ptrdiff_t stride = t.left_stride;
  const float* a[kRows / 3 + 1];
  ET_UNROLL
  for (size_t i = 0; i <= kRows / 3; ++i) {
    a[i] = t.left + static_cast<ptrdiff_t>(3 * i) * stride;
    // Compilers that see how the pointers hang together calculate one from the other in the loop.
    __asm__("" : "+r"(a[i]));
  }
  for (size_t k = 0; k < t.depth; ++k) {
    const float* row = t.right + t.offset[k];
    Vector b[kVectors];
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      b[v] = load(row + v * kLanes);
    }
    ET_UNROLL
    for (size_t r = 0; r < kRows; ++r) {
      const float factor = a[r / 3][static_cast<ptrdiff_t>(r % 3) * stride];
      ET_UNROLL
      for (size_t v = 0; v < kVectors; ++v) {
        acc[r][v] += factor * b[v];
      }
    }
    ET_UNROLL
    for (size_t i = 0; i <= kRows / 3; ++i) {
      ++a[i];
    }
  }
  ET_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      store(acc[r][v], t.out + static_cast<ptrdiff_t>(r) * t.out_stride + v * kLanes);
    }
  }
}

template <size_t kRows>
ET_TARGET void multiply_rows(Tile t, size_t vectors) {
  switch (vectors) {
    case 1:
      return multiply<kRows, 1>(t);
    case 2:
      return multiply<kRows, 2>(t);
    default:
      return multiply<kRows, kTileVectors>(t);
  }
}

/// Any number of rows up to kTileRows, in powers of two.
ET_TARGET void tile(const Tile& whole, size_t rows, size_t vectors) {
  Tile t = whole;
  while (rows > 0) {
    const size_t step = rows >= 8 && kTileRows >= 8 ? 8 : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
    if (step == 8) {
      multiply_rows<kTileRows>(t, vectors);
    } else if (step == 4) {
      multiply_rows<4>(t, vectors);
    } else if (step == 2) {
      multiply_rows<2>(t, vectors);
    } else {
      multiply_rows<1>(t, vectors);
    }
    rows -= step;
    t.left += static_cast<ptrdiff_t>(step) * t.left_stride;
    t.out += static_cast<ptrdiff_t>(step) * t.out_stride;
    t.bias += t.start == Tile::Start::kRowBias ? step : 0;
  }
}

template <size_t kRows>
ET_TARGET void dot_some(const float* a, ptrdiff_t stride, const float* x, size_t depth,
                        float* acc) {
  Vector sum[kRows] = {};
  size_t k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    const Vector v = load(x + k);
    ET_UNROLL
    for (size_t r = 0; r < kRows; ++r) {
      sum[r] += load(a + static_cast<ptrdiff_t>(r) * stride + k) * v;
    }
  }
  ET_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    float total = sum_lanes(sum[r]);
    for (size_t i = k; i < depth; ++i) {
      total += a[static_cast<ptrdiff_t>(r) * stride + static_cast<ptrdiff_t>(i)] * x[i];
    }
    acc[r] = total;
  }
}

/// One row, in several sums: an addition would wait for the one before it.
ET_TARGET float dot_one(const float* a, const float* x, size_t depth) {
  constexpr size_t kSums = 4;
  Vector sum[kSums] = {};
  size_t k = 0;
  for (; k + kSums * kLanes <= depth; k += kSums * kLanes) {
    ET_UNROLL
    for (size_t i = 0; i < kSums; ++i) {
      sum[i] += load(a + k + i * kLanes) * load(x + k + i * kLanes);
    }
  }
  for (; k + kLanes <= depth; k += kLanes) {
    sum[0] += load(a + k) * load(x + k);
  }
  float total = sum_lanes((sum[0] + sum[1]) + (sum[2] + sum[3]));
  for (; k < depth; ++k) {
    total += a[k] * x[k];
  }
  return total;
}

ET_TARGET void dot(const float* a, ptrdiff_t stride, size_t rows, const float* x, size_t depth,
                   float* acc) {
  size_t r = 0;
  if (rows == 8) {
    return dot_some<8>(a, stride, x, depth, acc);
  }
  for (; r + 4 <= rows; r += 4) {
    dot_some<4>(a + static_cast<ptrdiff_t>(r) * stride, stride, x, depth, acc + r);
  }
  for (; r < rows; ++r) {
    acc[r] = dot_one(a + static_cast<ptrdiff_t>(r) * stride, x, depth);
  }
}

typedef float Quad __attribute__((vector_size(16)));

/// Four rows of four elements; the quads of a vector would need shuffles that compilers spell
/// differently.
ET_TARGET inline void transpose_quad(const float* from, ptrdiff_t from_stride, float* to,
                                     ptrdiff_t to_stride) {
  Quad r0;
  Quad r1;
  Quad r2;
  Quad r3;
  std::memcpy(&r0, from, sizeof(Quad));
  std::memcpy(&r1, from + from_stride, sizeof(Quad));
  std::memcpy(&r2, from + 2 * from_stride, sizeof(Quad));
  std::memcpy(&r3, from + 3 * from_stride, sizeof(Quad));
  const Quad low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
  const Quad high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
  const Quad low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
  const Quad high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
  const Quad c0 = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  const Quad c1 = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  const Quad c2 = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  const Quad c3 = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
  std::memcpy(to, &c0, sizeof(Quad));
  std::memcpy(to + to_stride, &c1, sizeof(Quad));
  std::memcpy(to + 2 * to_stride, &c2, sizeof(Quad));
  std::memcpy(to + 3 * to_stride, &c3, sizeof(Quad));
}

/// Exchanges the quarters, pairs or single elements of two vectors that stand across the diagonal.
template <int kStep, size_t... kIndex>
ET_TARGET inline void cross(Vector& upper, Vector& lower, std::index_sequence<kIndex...>) {
  constexpr int kAll = static_cast<int>(kLanes);
  const Vector a = upper;
  const Vector b = lower;
  upper = __builtin_shufflevector(
      a, b,
      ((static_cast<int>(kIndex) & kStep) == 0 ? static_cast<int>(kIndex)
                                               : kAll + static_cast<int>(kIndex) - kStep)...);
  lower = __builtin_shufflevector(
      a, b,
      ((static_cast<int>(kIndex) & kStep) == 0 ? static_cast<int>(kIndex) + kStep
                                               : kAll + static_cast<int>(kIndex))...);
}

template <int kStep>
ET_TARGET inline void cross_all(Vector (&rows)[kLanes]) {
  ET_UNROLL
  for (size_t r = 0; r < kLanes; ++r) {
    if ((r & kStep) == 0) {
      cross<kStep>(rows[r], rows[r + kStep], std::make_index_sequence<kLanes>());
    }
  }
  if constexpr (kStep > 1) {
    cross_all<kStep / 2>(rows);
  }
}

/// As many rows as a vector has elements, in registers: every line of memory is touched once, since
/// lines that are a power of two apart push each other out of the cache.
ET_TARGET void transpose_block(const float* from, ptrdiff_t from_stride, float* to,
                               ptrdiff_t to_stride) {
  Vector rows[kLanes];
  ET_UNROLL
  for (size_t r = 0; r < kLanes; ++r) {
    rows[r] = load(from + static_cast<ptrdiff_t>(r) * from_stride);
  }
  cross_all<static_cast<int>(kLanes / 2)>(rows);
  ET_UNROLL
  for (size_t r = 0; r < kLanes; ++r) {
    store(rows[r], to + static_cast<ptrdiff_t>(r) * to_stride);
  }
}

ET_TARGET void transpose_edges(const float* from, ptrdiff_t from_stride, ptrdiff_t m, ptrdiff_t n,
                               float* to, ptrdiff_t to_stride) {
  ptrdiff_t j = 0;
  for (; j + 4 <= n; j += 4) {
    ptrdiff_t i = 0;
    for (; i + 4 <= m; i += 4) {
      transpose_quad(from + i * from_stride + j, from_stride, to + j * to_stride + i, to_stride);
    }
    for (; i < m; ++i) {
      for (ptrdiff_t l = j; l < j + 4; ++l) {
        to[l * to_stride + i] = from[i * from_stride + l];
      }
    }
  }
  for (; j < n; ++j) {
    for (ptrdiff_t i = 0; i < m; ++i) {
      to[j * to_stride + i] = from[i * from_stride + j];
    }
  }
}

ET_TARGET void transpose(const float* from, ptrdiff_t from_stride, size_t rows, size_t columns,
                         float* to, ptrdiff_t to_stride) {
  constexpr ptrdiff_t kSide = static_cast<ptrdiff_t>(kLanes);
  const ptrdiff_t m = static_cast<ptrdiff_t>(rows);
  const ptrdiff_t n = static_cast<ptrdiff_t>(columns);
  const ptrdiff_t whole_m = m - m % kSide;
  const ptrdiff_t whole_n = n - n % kSide;
  for (ptrdiff_t j = 0; j < whole_n; j += kSide) {
    for (ptrdiff_t i = 0; i < whole_m; i += kSide) {
      transpose_block(from + i * from_stride + j, from_stride, to + j * to_stride + i, to_stride);
    }
  }
  if (whole_m < m && whole_n > 0) {
    transpose_edges(from + whole_m * from_stride, from_stride, m - whole_m, whole_n, to + whole_m,
                    to_stride);
  }
  if (whole_n < n) {
    transpose_edges(from + whole_n, from_stride, m, n - whole_n, to + whole_n * to_stride,
                    to_stride);
  }
}

/// See `FloatLoops::multiply_panel`.
ET_TARGET void multiply_panel(const float* const* a, const float* panel, size_t depth, float* acc) {
  constexpr size_t kColumns = util::kPanelColumns;
  constexpr size_t kRows = 4;
  for (size_t r = 0; r < util::kPanelRows; r += kRows) {
    for (size_t j = 0; j < kColumns; j += 2 * kLanes) {
      Vector c[kRows][2];
      ET_UNROLL
      for (size_t i = 0; i < kRows; ++i) {
        c[i][0] = load(acc + (r + i) * kColumns + j);
        c[i][1] = load(acc + (r + i) * kColumns + j + kLanes);
      }
      for (size_t k = 0; k < depth; ++k) {
        const Vector b0 = load(panel + k * kColumns + j);
        const Vector b1 = load(panel + k * kColumns + j + kLanes);
        ET_UNROLL
        for (size_t i = 0; i < kRows; ++i) {
          const Vector factor = broadcast(a[r + i][k]);
          c[i][0] += factor * b0;
          c[i][1] += factor * b1;
        }
      }
      ET_UNROLL
      for (size_t i = 0; i < kRows; ++i) {
        store(c[i][0], acc + (r + i) * kColumns + j);
        store(c[i][1], acc + (r + i) * kColumns + j + kLanes);
      }
    }
  }
}

ET_TARGET void dot_rows(const float* const* a, const float* x, size_t depth, float* acc) {
  for (size_t r = 0; r < 4; ++r) {
    acc[r] += dot_one(a[r], x, depth);
  }
}

}  // namespace
}  // namespace torch::executor::native::optimized
