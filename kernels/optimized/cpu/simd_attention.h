/**
 * @file
 * Products of a few rows with many lines that are read where they are, from memory more often than
 * from a cache; part of simd_loops.h, which says how.
 */
#pragma once

#include <type_traits>

#include <executorch/kernels/optimized/cpu/simd_products.h>

namespace torch::executor::native::optimized {
namespace {

using util::NumberLines;

/// Bytes of lines ahead of those in use that are asked for: lines of one head lie apart, and no
/// processor sees by itself that they are read one after the other.
constexpr size_t kLineBytesAhead = 6144;
constexpr size_t kCacheLine = 64;

/// Rows that share what is loaded of a line, lines that share what is loaded of a row, and the
/// vectors of a line whose sums are in registers at once.
constexpr size_t kLineRows = kTileRows == 8 ? 4 : 2;
constexpr size_t kLineGroup = 4;
constexpr size_t kLineVectors = kTileRows == 8 ? 4 : 2;
/// Lines that stay in the nearest cache while all rows are multiplied by them.
constexpr size_t kLinesAtOnce = 16;

typedef int8_t LineBytes __attribute__((vector_size(ET_VECTOR_BYTES / 4)));

template <bool kBytes>
ET_TARGET inline Vector load_numbers(const char* line, size_t at, Vector zero_point) {
  if constexpr (kBytes) {
    LineBytes bytes;
    std::memcpy(&bytes, line + at, sizeof(bytes));
    return __builtin_convertvector(bytes, Vector) - zero_point;
  } else {
    (void)zero_point;
    return load(reinterpret_cast<const float*>(line) + at);
  }
}

template <bool kBytes>
ET_TARGET inline float load_number(const char* line, size_t at, float zero_point) {
  if constexpr (kBytes) {
    return static_cast<float>(reinterpret_cast<const int8_t*>(line)[at]) - zero_point;
  } else {
    (void)zero_point;
    return reinterpret_cast<const float*>(line)[at];
  }
}

/// Calls `run` with a constant number of rows, and the first of them, until all are done.
template <typename Run>
ET_TARGET inline void for_rows(size_t count, const Run& run) {
  size_t r = 0;
  for (; r + kLineRows <= count; r += kLineRows) {
    run(std::integral_constant<size_t, kLineRows>(), r);
  }
  switch (count - r) {
    case 3:
      return run(std::integral_constant<size_t, 3>(), r);
    case 2:
      return run(std::integral_constant<size_t, 2>(), r);
    case 1:
      return run(std::integral_constant<size_t, 1>(), r);
    default:
      return;
  }
}

/// The lines, with what asks for those ahead.
template <bool kBytes>
struct LineReader {
  const NumberLines& lines;
  size_t bytes;
  ptrdiff_t ahead;

  ET_TARGET explicit LineReader(const NumberLines& all)
      : lines(all),
        bytes(all.length * (kBytes ? sizeof(int8_t) : sizeof(float))),
        ahead(static_cast<ptrdiff_t>(kLinesAtOnce + kLineBytesAhead / (bytes + 1)) * all.stride) {}

  ET_TARGET const char* line(size_t i) const {
    return lines.data + static_cast<ptrdiff_t>(i) * lines.stride;
  }
  /// Behind the lines that are used together with `first`.
  ET_TARGET size_t end_of(size_t first) const {
    return lines.count - first < kLinesAtOnce ? lines.count : first + kLinesAtOnce;
  }
  ET_TARGET void ask_ahead(size_t first, size_t end) const {
    if (lines.next_bytes != 0) {
      return ask_next(first);
    }
    // Beyond the last line nothing is read: an address that is asked for need not exist.
    uintptr_t line_ahead = reinterpret_cast<uintptr_t>(line(first)) + static_cast<uintptr_t>(ahead);
    for (size_t i = first; i < end; ++i) {
      for (size_t at = 0; at < bytes; at += kCacheLine) {
        __builtin_prefetch(reinterpret_cast<const void*>(line_ahead + at));
      }
      line_ahead += static_cast<uintptr_t>(lines.stride);
    }
  }
  /// The share of these lines of what is read next, into a cache that is not the nearest.
  ET_TARGET void ask_next(size_t first) const {
    const size_t from = lines.next_bytes * first / lines.count / kCacheLine * kCacheLine;
    const size_t to = lines.next_bytes * end_of(first) / lines.count;
    for (size_t at = from; at < to; at += kCacheLine) {
      __builtin_prefetch(lines.next + at, 0, 2);
    }
  }
  ET_TARGET float zero_point(size_t i) const {
    return kBytes ? static_cast<float>(
                        lines.zero_points[static_cast<ptrdiff_t>(i) * lines.scale_stride])
                  : 0.0f;
  }
  ET_TARGET float scale(size_t i) const {
    return kBytes ? lines.scales[static_cast<ptrdiff_t>(i) * lines.scale_stride] : 1.0f;
  }
};

/// Adds elements of two vectors that are `kStep` apart: those of the first vector stay where
/// `kStep` is not in the lane's number, the others are those of the second.
template <int kStep, size_t... kIndex>
ET_TARGET inline Vector fold_two(Vector a, Vector b, std::index_sequence<kIndex...>) {
  constexpr int kAll = static_cast<int>(kLanes);
  return __builtin_shufflevector(a, b,
                                 ((static_cast<int>(kIndex) & kStep) == 0
                                      ? static_cast<int>(kIndex)
                                      : kAll + static_cast<int>(kIndex) - kStep)...) +
         __builtin_shufflevector(
             a, b,
             ((static_cast<int>(kIndex) & kStep) == 0 ? static_cast<int>(kIndex) + kStep
                                                      : kAll + static_cast<int>(kIndex))...);
}

/// v[i] + v[i ^ kStep] and so on, down to neighbours.
template <size_t kStep>
ET_TARGET inline Vector fold_from(Vector v) {
  if constexpr (kStep == 0) {
    return v;
  } else {
    return fold_from<kStep / 2>(fold<kStep>(v, std::make_index_sequence<kLanes>()));
  }
}

/// The sums of four vectors' elements.
ET_TARGET inline void sum_four(const Vector (&v)[kLineGroup], float (&sums)[kLineGroup]) {
  constexpr int kHalf = static_cast<int>(kLanes / 2);
  constexpr int kQuarter = static_cast<int>(kLanes / 4);
  constexpr auto kAll = std::make_index_sequence<kLanes>();
  const Vector low = fold_two<kHalf>(v[0], v[1], kAll);
  const Vector high = fold_two<kHalf>(v[2], v[3], kAll);
  const Vector all = fold_from<kLanes / 8>(fold_two<kQuarter>(low, high, kAll));
  sums[0] = all[0];
  sums[1] = all[kHalf];
  sums[2] = all[kQuarter];
  sums[3] = all[kHalf + kQuarter];
}

/// Products of some rows with `kLineGroup` lines, the last of which may be repeated.
template <size_t kRows, bool kBytes>
ET_TARGET void multiply_group(const LineReader<kBytes>& reader, size_t first, size_t count,
                              const float* rows, size_t row_stride, float* out, size_t out_stride) {
  const size_t length = reader.lines.length;
  const char* line[kLineGroup];
  float zero_point[kLineGroup];
  Vector zero_points[kLineGroup];
  ET_UNROLL
  for (size_t l = 0; l < kLineGroup; ++l) {
    const size_t i = first + (l < count ? l : count - 1);
    line[l] = reader.line(i);
    zero_point[l] = reader.zero_point(i);
    zero_points[l] = broadcast(zero_point[l]);
  }
  Vector sum[kRows][kLineGroup] = {};
  size_t j = 0;
  for (; j + kLanes <= length; j += kLanes) {
    ET_UNROLL
    for (size_t l = 0; l < kLineGroup; ++l) {
      const Vector numbers = load_numbers<kBytes>(line[l], j, zero_points[l]);
      ET_UNROLL
      for (size_t r = 0; r < kRows; ++r) {
        sum[r][l] += load(rows + r * row_stride + j) * numbers;
      }
    }
  }
  ET_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    float total[kLineGroup];
    sum_four(sum[r], total);
    for (size_t l = 0; l < count; ++l) {
      for (size_t k = j; k < length; ++k) {
        total[l] += rows[r * row_stride + k] * load_number<kBytes>(line[l], k, zero_point[l]);
      }
      out[r * out_stride + first + l] = kBytes ? total[l] * reader.scale(first + l) : total[l];
    }
  }
}

template <size_t kRows, bool kBytes>
ET_TARGET void multiply_some(const LineReader<kBytes>& reader, size_t first, size_t end,
                             const float* rows, size_t row_stride, float* out, size_t out_stride) {
  for (size_t i = first; i < end; i += kLineGroup) {
    const size_t count = end - i < kLineGroup ? end - i : kLineGroup;
    multiply_group<kRows>(reader, i, count, rows, row_stride, out, out_stride);
  }
}

template <bool kBytes>
ET_TARGET void multiply_lines_of(const NumberLines& lines, const float* rows_of, size_t row_stride,
                                 size_t count, float* out, size_t out_stride) {
  const LineReader<kBytes> reader(lines);
  for (size_t first = 0; first < lines.count; first += kLinesAtOnce) {
    const size_t end = reader.end_of(first);
    reader.ask_ahead(first, end);
    for_rows(count, [&](auto rows, size_t r) ET_TARGET {
      multiply_some<rows>(reader, first, end, rows_of + r * row_stride, row_stride,
                          out + r * out_stride, out_stride);
    });
  }
}

/// See `FloatLoops::multiply_lines`.
ET_TARGET void multiply_lines(const NumberLines& lines, const float* rows, size_t row_stride,
                              size_t count, float* out, size_t out_stride) {
  if (lines.scales != nullptr) {
    multiply_lines_of<true>(lines, rows, row_stride, count, out, out_stride);
  } else {
    multiply_lines_of<false>(lines, rows, row_stride, count, out, out_stride);
  }
}

/// Adds elements [at, at + kVectors * kLanes) of lines [first, end) to those of the sums. Weight i
/// is that of line `first + i`, with its scale in it.
template <size_t kRows, size_t kVectors, bool kBytes>
ET_TARGET void add_part(const LineReader<kBytes>& reader, size_t first, size_t end, size_t at,
                        const float* weights, size_t weight_stride, float* sums, size_t stride) {
  Vector acc[kRows][kVectors];
  ET_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      acc[r][v] = load(sums + r * stride + at + v * kLanes);
    }
  }
  for (size_t i = first; i < end; ++i) {
    const char* const line = reader.line(i);
    const Vector zero_points = broadcast(reader.zero_point(i));
    Vector numbers[kVectors];
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      numbers[v] = load_numbers<kBytes>(line, at + v * kLanes, zero_points);
    }
    ET_UNROLL
    for (size_t r = 0; r < kRows; ++r) {
      const Vector weight = broadcast(weights[r * weight_stride + i - first]);
      ET_UNROLL
      for (size_t v = 0; v < kVectors; ++v) {
        acc[r][v] += weight * numbers[v];
      }
    }
  }
  ET_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    ET_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      store(acc[r][v], sums + r * stride + at + v * kLanes);
    }
  }
}

template <size_t kRows, bool kBytes>
ET_TARGET void add_some(const LineReader<kBytes>& reader, size_t first, size_t end,
                        const float* weights, size_t weight_stride, float* sums, size_t stride) {
  const size_t length = reader.lines.length;
  size_t at = 0;
  for (; at + kLineVectors * kLanes <= length; at += kLineVectors * kLanes) {
    add_part<kRows, kLineVectors>(reader, first, end, at, weights, weight_stride, sums, stride);
  }
  for (; at + kLanes <= length; at += kLanes) {
    add_part<kRows, 1>(reader, first, end, at, weights, weight_stride, sums, stride);
  }
  for (; at < length; ++at) {
    for (size_t i = first; i < end; ++i) {
      const float number = load_number<kBytes>(reader.line(i), at, reader.zero_point(i));
      for (size_t r = 0; r < kRows; ++r) {
        sums[r * stride + at] += weights[r * weight_stride + i - first] * number;
      }
    }
  }
}

/// Weights [first, end) of a row times the scales of the lines.
ET_TARGET void scale_weights(const LineReader<true>& reader, size_t first, size_t end,
                             const float* weights, float* scaled) {
  for (size_t i = first; i < end; ++i) {
    scaled[i - first] = weights[i] * reader.scale(i);
  }
}

template <size_t kRows, bool kBytes>
ET_TARGET void add_weighed(const LineReader<kBytes>& reader, size_t first, size_t end,
                           const float* weights, size_t weight_stride, float* sums, size_t stride) {
  if constexpr (kBytes) {
    float scaled[kRows][kLinesAtOnce];
    for (size_t r = 0; r < kRows; ++r) {
      scale_weights(reader, first, end, weights + r * weight_stride, scaled[r]);
    }
    add_some<kRows>(reader, first, end, scaled[0], kLinesAtOnce, sums, stride);
  } else {
    add_some<kRows>(reader, first, end, weights + first, weight_stride, sums, stride);
  }
}

template <bool kBytes>
ET_TARGET void add_lines_of(const NumberLines& lines, const float* weights, size_t weight_stride,
                            size_t count, float* sums, size_t stride) {
  const LineReader<kBytes> reader(lines);
  for (size_t first = 0; first < lines.count; first += kLinesAtOnce) {
    const size_t end = reader.end_of(first);
    reader.ask_ahead(first, end);
    for_rows(count, [&](auto rows, size_t r) ET_TARGET {
      add_weighed<rows>(reader, first, end, weights + r * weight_stride, weight_stride,
                        sums + r * stride, stride);
    });
  }
}

/// See `FloatLoops::add_lines`.
ET_TARGET void add_lines(const NumberLines& lines, const float* weights, size_t weight_stride,
                         size_t count, float* sums, size_t stride) {
  if (lines.scales != nullptr) {
    add_lines_of<true>(lines, weights, weight_stride, count, sums, stride);
  } else {
    add_lines_of<false>(lines, weights, weight_stride, count, sums, stride);
  }
}

}  // namespace
}  // namespace torch::executor::native::optimized
