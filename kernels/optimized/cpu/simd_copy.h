/**
 * @file
 * Lines that are copied forwards, backwards, or from one element. A part of simd_loops.h, where its
 * use is described.
 */
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include <executorch/kernels/optimized/cpu/simd_products.h>

namespace torch::executor::native::optimized {
namespace {

typedef uint8_t Bytes __attribute__((vector_size(ET_VECTOR_BYTES)));

/// The first and the last bytes of a line, which may overlap.
template <size_t kBytes>
ET_TARGET inline void copy_ends(const char* from, char* to, size_t n) {
  char first[kBytes];
  char last[kBytes];
  std::memcpy(first, from, kBytes);
  std::memcpy(last, from + n - kBytes, kBytes);
  std::memcpy(to, first, kBytes);
  std::memcpy(to + n - kBytes, last, kBytes);
}

/// At most a vector, without a call.
ET_TARGET inline void copy_few(const char* from, char* to, size_t n) {
  if (n >= 32) {
    copy_ends<32>(from, to, n);
  } else if (n >= 16) {
    copy_ends<16>(from, to, n);
  } else if (n >= 8) {
    copy_ends<8>(from, to, n);
  } else if (n >= 4) {
    copy_ends<4>(from, to, n);
  } else if (n >= 2) {
    copy_ends<2>(from, to, n);
  } else if (n == 1) {
    *to = *from;
  }
}

ET_TARGET inline void copy_line(const char* from, char* to, size_t n) {
  // From here on the C library's way of fetching ahead gains more than its call costs.
  constexpr size_t kLong = 2048;
  if (n >= kLong) {
    std::memcpy(to, from, n);
    return;
  }
  if (n < ET_VECTOR_BYTES) {
    copy_few(from, to, n);
    return;
  }
  Bytes v;
  for (size_t i = 0; i + ET_VECTOR_BYTES < n; i += ET_VECTOR_BYTES) {
    std::memcpy(&v, from + i, sizeof(v));
    std::memcpy(to + i, &v, sizeof(v));
  }
  std::memcpy(&v, from + n - ET_VECTOR_BYTES, sizeof(v));
  std::memcpy(to + n - ET_VECTOR_BYTES, &v, sizeof(v));
}

/// Writes `n` bytes of a pattern whose size divides them.
ET_TARGET inline void fill_line(Bytes pattern, char* to, size_t n) {
  if (n < ET_VECTOR_BYTES) {
    char some[ET_VECTOR_BYTES];
    std::memcpy(some, &pattern, sizeof(some));
    copy_few(some, to, n);
    return;
  }
  for (size_t i = 0; i + ET_VECTOR_BYTES < n; i += ET_VECTOR_BYTES) {
    std::memcpy(to + i, &pattern, sizeof(pattern));
  }
  std::memcpy(to + n - ET_VECTOR_BYTES, &pattern, sizeof(pattern));
}

template <typename V, size_t... kIndex>
ET_TARGET inline V reversed(V v, std::index_sequence<kIndex...>) {
  return __builtin_shufflevector(v, v, static_cast<int>(sizeof...(kIndex) - 1 - kIndex)...);
}

/// @param from The last element, which becomes the first.
template <typename T>
ET_TARGET inline void reverse_line(const char* from, char* to, size_t n) {
  constexpr size_t kCount = ET_VECTOR_BYTES / sizeof(T);
  typedef T Vec __attribute__((vector_size(ET_VECTOR_BYTES)));
  const char* end = from + sizeof(T);
  size_t i = 0;
  for (; i + kCount <= n; i += kCount) {
    Vec v;
    std::memcpy(&v, end - (i + kCount) * sizeof(T), sizeof(v));
    v = reversed(v, std::make_index_sequence<kCount>());
    std::memcpy(to + i * sizeof(T), &v, sizeof(v));
  }
  for (; i < n; ++i) {
    std::memcpy(to + i * sizeof(T), end - (i + 1) * sizeof(T), sizeof(T));
  }
}

template <typename T>
ET_TARGET inline void copy_lines_of(const util::CopiedLines& lines) {
  const char* from = lines.from;
  char* to = lines.to;
  for (size_t line = 0; line < lines.lines; ++line) {
    if (lines.step > 0) {
      copy_line(from, to, lines.length * sizeof(T));
    } else if (lines.step < 0) {
      reverse_line<T>(from, to, lines.length);
    } else {
      T all[ET_VECTOR_BYTES / sizeof(T)];
      for (T& element : all) {
        std::memcpy(&element, from, sizeof(T));
      }
      Bytes pattern;
      std::memcpy(&pattern, all, sizeof(pattern));
      fill_line(pattern, to, lines.length * sizeof(T));
    }
    from += lines.from_stride;
    to += lines.to_stride;
  }
}

ET_TARGET void copy_lines(const util::CopiedLines& lines) {
  switch (lines.element_size) {
    case 1:
      return copy_lines_of<uint8_t>(lines);
    case 2:
      return copy_lines_of<uint16_t>(lines);
    case 4:
      return copy_lines_of<uint32_t>(lines);
    default:
      return copy_lines_of<uint64_t>(lines);
  }
}

}  // namespace
}  // namespace torch::executor::native::optimized
