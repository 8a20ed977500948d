/**
 * @file
 * The second part of simd_loops.h, where its use is described: lines of images, and depthwise
 * convolutions.
 */
#pragma once

#include <executorch/kernels/optimized/cpu/simd_products.h>

namespace torch::executor::native::optimized {
namespace {

/// Copies few or many elements that do not overlap.
ET_TARGET inline void copy(const float* from, size_t n, float* to) {
  constexpr size_t kQuad = sizeof(Quad) / sizeof(float);
  if (n >= kLanes) {
    for (size_t i = 0; i + kLanes < n; i += kLanes) {
      store(load(from + i), to + i);
    }
    store(load(from + n - kLanes), to + n - kLanes);  // the last vector, once more in part
  } else if (n >= kQuad) {
    for (size_t i = 0; i + kQuad < n; i += kQuad) {
      std::memcpy(to + i, from + i, sizeof(Quad));
    }
    std::memcpy(to + n - kQuad, from + n - kQuad, sizeof(Quad));
  } else {
    for (size_t i = 0; i < n; ++i) {
      to[i] = from[i];
    }
  }
}

/// The pixels [x, x + kLanes) of a row; `kTaps` is 0 if there are other numbers of taps.
template <size_t kTaps>
ET_TARGET inline Vector depthwise_pixels(const DepthwiseRows& d, const Vector* weight,
                                         const float* in) {
  Vector acc = broadcast(d.bias);
  if constexpr (kTaps > 0) {
    ET_UNROLL
    for (size_t t = 0; t < kTaps; ++t) {
      acc += weight[t] * load(in + d.offset[t]);
    }
  } else {
    for (size_t t = 0; t < d.taps; ++t) {
      acc += broadcast(d.weight[t]) * load(in + d.offset[t]);
    }
  }
  return acc;
}

/// Writes the pixels of row `r` that lie in a vector.
ET_TARGET inline void store_row(const DepthwiseRows& d, Vector v, size_t r) {
  const size_t at = r * static_cast<size_t>(d.out_stride);
  if (at + kLanes <= d.room) {
    store(v, d.out + at);
    return;
  }
  float line[kLanes];
  store(v, line);
  copy(line, d.width, d.out + at);
}

template <size_t kTaps>
ET_TARGET void depthwise_rows(const DepthwiseRows& d) {
  Vector weight[kTaps == 0 ? 1 : kTaps];
  ET_UNROLL
  for (size_t t = 0; t < kTaps; ++t) {
    weight[t] = broadcast(d.weight[t]);
  }
  for (size_t r = 0; r < d.rows; ++r) {
    const float* in = d.in + static_cast<ptrdiff_t>(r) * d.pitch;
    if (d.width < kLanes) {
      store_row(d, depthwise_pixels<kTaps>(d, weight, in), r);
      continue;
    }
    float* out = d.out + static_cast<ptrdiff_t>(r) * d.out_stride;
    for (size_t x = 0; x + kLanes < d.width; x += kLanes) {
      store(depthwise_pixels<kTaps>(d, weight, in + x), out + x);
    }
    const size_t last = d.width - kLanes;  // once more in part
    store(depthwise_pixels<kTaps>(d, weight, in + last), out + last);
  }
}

/// `kRows` rows of pixels at once: the inner ones of the lines that they read are read once for
/// three of them.
template <size_t kRows>
ET_TARGET inline void square_pixels(const Vector* weight, Vector bias, const float* in,
                                    ptrdiff_t pitch, Vector* acc) {
  ET_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    acc[r] = bias;
  }
  ET_UNROLL
  for (size_t line = 0; line < kRows + 2; ++line) {
    const float* from = in + static_cast<ptrdiff_t>(line) * pitch;
    const Vector left = load(from);
    const Vector middle = load(from + 1);
    const Vector right = load(from + 2);
    ET_UNROLL
    for (size_t h = 0; h < 3; ++h) {
      if (h <= line && line < kRows + h) {
        Vector& sum = acc[line - h];
        sum += weight[3 * h] * left;
        sum += weight[3 * h + 1] * middle;
        sum += weight[3 * h + 2] * right;
      }
    }
  }
}

template <size_t kRows>
ET_TARGET inline void square_rows(const DepthwiseRows& d, const Vector* weight, size_t first) {
  const Vector bias = broadcast(d.bias);
  const float* in = d.in + static_cast<ptrdiff_t>(first) * d.pitch;
  float* out = d.out + static_cast<ptrdiff_t>(first) * d.out_stride;
  Vector acc[kRows];
  if (d.width < kLanes) {
    square_pixels<kRows>(weight, bias, in, d.pitch, acc);
    ET_UNROLL
    for (size_t r = 0; r < kRows; ++r) {
      store_row(d, acc[r], first + r);
    }
    return;
  }
  for (size_t x = 0;; x += kLanes) {
    x = x + kLanes < d.width ? x : d.width - kLanes;  // the last vector, once more in part
    square_pixels<kRows>(weight, bias, in + x, d.pitch, acc);
    ET_UNROLL
    for (size_t r = 0; r < kRows; ++r) {
      store(acc[r], out + static_cast<ptrdiff_t>(r) * d.out_stride + x);
    }
    if (x + kLanes == d.width) {
      return;
    }
  }
}

/// Three taps by three, a step of one: the commonest of all.
ET_TARGET void depthwise_square(const DepthwiseRows& d) {
  constexpr size_t kRows = 4;
  Vector weight[9];
  ET_UNROLL
  for (size_t t = 0; t < 9; ++t) {
    weight[t] = broadcast(d.weight[t]);
  }
  size_t r = 0;
  for (; r + kRows <= d.rows; r += kRows) {
    square_rows<kRows>(d, weight, r);
  }
  for (; r < d.rows; ++r) {
    square_rows<1>(d, weight, r);
  }
}

ET_TARGET void depthwise(const DepthwiseRows& d) {
  bool square = d.taps == 9;
  for (size_t t = 0; t < 9 && square; ++t) {
    square = d.offset[t] == static_cast<ptrdiff_t>(t / 3) * d.pitch + static_cast<ptrdiff_t>(t % 3);
  }
  if (square) {
    depthwise_square(d);
  } else if (d.taps == 9) {
    depthwise_rows<9>(d);
  } else {
    depthwise_rows<0>(d);
  }
}

/// to[i] = from[2 * i]; reads nothing behind the last of them.
ET_TARGET inline void even(const float* from, size_t n, float* to) {
  size_t i = 0;
#if ET_VECTOR_BYTES == 64
  for (; i + kLanes < n; i += kLanes) {
    const Vector both =
        __builtin_shufflevector(load(from + 2 * i), load(from + 2 * i + kLanes), 0, 2, 4, 6, 8, 10,
                                12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    store(both, to + i);
  }
#endif
  Quad low;
  Quad high;
  for (; i + 4 < n; i += 4) {
    std::memcpy(&low, from + 2 * i, sizeof(Quad));
    std::memcpy(&high, from + 2 * i + 4, sizeof(Quad));
    const Quad both = __builtin_shufflevector(low, high, 0, 2, 4, 6);
    std::memcpy(to + i, &both, sizeof(Quad));
  }
  if (n >= 4) {  // the last four, once more in part
    std::memcpy(&low, from + 2 * (n - 4), sizeof(Quad));
    std::memcpy(&high, from + 2 * (n - 4) + 3, sizeof(Quad));
    const Quad both = __builtin_shufflevector(low, high, 0, 2, 5, 7);
    std::memcpy(to + n - 4, &both, sizeof(Quad));
    return;
  }
  for (; i < n; ++i) {
    to[i] = from[2 * i];
  }
}

#if ET_VECTOR_BYTES == 64
/// Lines that are short, but for the last ones: whole vectors reach into the lines behind them, and
/// masks take in the elements and leave zeros for the padding. @returns the lines done.
template <size_t kStep>
ET_TARGET size_t pad_short_lines(const PaddedLines& p) {
  constexpr size_t kMost = 8;
  const size_t pitch = p.before + p.count + p.after;
  const size_t vectors = (pitch + kLanes - 1) / kLanes;
  if (vectors > kMost) {
    return 0;
  }
  __mmask16 mask[kMost][kStep] = {};
  for (size_t i = p.before; i < p.before + p.count; ++i) {
    const size_t at = i % kLanes * kStep;
    mask[i / kLanes][at / kLanes] |= static_cast<__mmask16>(1u << at % kLanes);
  }
  const float* from = p.from - static_cast<ptrdiff_t>(p.before * kStep);
  float* to = p.to;
  const float* end = p.to + p.lines * pitch;
  size_t line = 0;
  for (; end - to >= static_cast<ptrdiff_t>(vectors * kLanes) && line < p.lines; ++line) {
    for (size_t v = 0; v < vectors; ++v) {
      const float* at = from + v * kLanes * kStep;
      Vector elements = _mm512_maskz_loadu_ps(mask[v][0], at);
      if constexpr (kStep == 2) {
        const Vector high = _mm512_maskz_loadu_ps(mask[v][1], at + kLanes);
        elements = __builtin_shufflevector(elements, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                           22, 24, 26, 28, 30);
      }
      store(elements, to + v * kLanes);
    }
    from += p.from_stride;
    to += pitch;
  }
  return line;
}
#endif

/// The loop over lines of `pad_lines`; `kStep` is 0 for steps above 2.
template <size_t kStep>
ET_TARGET void pad_lines_by(const PaddedLines& p) {
  size_t line = 0;
#if ET_VECTOR_BYTES == 64
  if constexpr (kStep > 0) {
    line = pad_short_lines<kStep>(p);
  }
#endif
  float* to = p.to + line * (p.before + p.count + p.after);
  const float* from = p.from + static_cast<ptrdiff_t>(line) * p.from_stride;
  for (; line < p.lines; ++line, from += p.from_stride) {
    for (size_t i = 0; i < p.before; ++i) {
      *to++ = 0;
    }
    if constexpr (kStep == 1) {
      copy(from, p.count, to);
    } else if constexpr (kStep == 2) {
      even(from, p.count, to);
    } else {
      for (size_t i = 0; i < p.count; ++i) {
        to[i] = from[i * p.step];
      }
    }
    to += p.count;
    for (size_t i = 0; i < p.after; ++i) {
      *to++ = 0;
    }
  }
}

ET_TARGET void pad_lines(const PaddedLines& p) {
  if (p.step == 1) {
    pad_lines_by<1>(p);
  } else if (p.step == 2) {
    pad_lines_by<2>(p);
  } else {
    pad_lines_by<0>(p);
  }
}

}  // namespace
}  // namespace torch::executor::native::optimized
