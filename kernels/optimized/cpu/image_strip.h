/**
 * @file
 * Copies of parts of an image in which the elements that a convolution reads lie beside each other.
 * Internal to the optimized convolution.
 */
#pragma once

#include <cstring>

#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/cpu/internal/convolution_impl.h>

namespace torch::executor::native::optimized {

using util::Convolution;
using util::ConvolutionDim;

inline size_t min(size_t a, size_t b) { return a < b ? a : b; }

/// Elements of a strip of a dense convolution.
constexpr size_t kStripElements = 768 * 1024 / sizeof(float);

/**
 * How a strip of output lines sees its input: a copy with the padding written out, in which
 * neighbouring pixels are neighbours in memory whatever the stride. A stride of 2 takes the even
 * and the odd lines and columns apart. Then element k of the inner dimension of output pixel (line,
 * x) lies at offset[k] + line * pitch + x, and pixels of several lines are one long vector, with a
 * few columns between the lines that no one uses. Where those would be many, as the lines are
 * short, a strip has a copy for each horizontal tap instead, whose lines follow each other without
 * a gap.
 */
struct Strip {
  /// The most copies of a line.
  static constexpr size_t kCopies = 8;

  ConvolutionDim height;
  ConvolutionDim width;
  size_t phases;  // by height
  size_t copies;  // by width: phases or taps
  bool by_tap;
  size_t pitch;
  size_t lines;  // of output
  size_t plane_lines;

  static size_t reach(const ConvolutionDim& d) {
    return static_cast<size_t>((d.kernel - 1) * d.dilation);
  }
  static size_t phases_of(const ConvolutionDim& d) {
    return min(static_cast<size_t>(d.stride), reach(d) + 1);
  }

  Strip(const Convolution& conv, size_t channels, size_t elements, bool of_taps = false)
      : height(conv.dim[1]), width(conv.dim[2]), by_tap(of_taps) {
    phases = phases_of(height);
    copies = by_tap ? static_cast<size_t>(width.kernel) : phases_of(width);
    pitch = static_cast<size_t>(width.out);
    pitch += by_tap ? 0 : reach(width) / static_cast<size_t>(width.stride);
    const size_t more = reach(height) / static_cast<size_t>(height.stride);
    const size_t per_line = channels * phases * copies * pitch;
    const size_t fitting = elements / per_line;
    lines = min(static_cast<size_t>(height.out), fitting > more ? fitting - more : 0);
    plane_lines = lines + more;
    for (size_t copy = 0; copy < copies && copy < kCopies; ++copy) {
      valid_[copy] =
          util::valid_range(start_of(copy), width.stride, width.in, static_cast<int64_t>(pitch));
    }
  }

  /// The strip of a dense convolution: by tap if a tenth of the columns would be unused and a whole
  /// image fits.
  static Strip dense(const Convolution& conv) {
    const Strip usual(conv, conv.in_channels, kStripElements);
    const size_t out = static_cast<size_t>(usual.width.out);
    if (10 * (usual.pitch - out) >= out && usual.width.kernel <= static_cast<int64_t>(kCopies)) {
      const Strip taps(conv, conv.in_channels, kStripElements, true);
      if (taps.lines == static_cast<size_t>(taps.height.out)) {
        return taps;
      }
    }
    return usual;
  }

  /// The position in a line of the input where a copy begins.
  int64_t start_of(size_t copy) const {
    return static_cast<int64_t>(copy) * (by_tap ? width.dilation : 1) - width.padding;
  }

  size_t plane() const { return plane_lines * pitch; }
  size_t channel() const { return phases * copies * plane(); }

  /// Offset of a tap within a channel.
  size_t tap(size_t h, size_t w) const {
    const size_t down = h * static_cast<size_t>(height.dilation);
    const size_t sh = static_cast<size_t>(height.stride);
    const size_t line = down % sh * copies * plane() + down / sh * pitch;
    if (by_tap) {
      return line + w * plane();
    }
    const size_t right = w * static_cast<size_t>(width.dilation);
    const size_t sw = static_cast<size_t>(width.stride);
    return line + right % sw * plane() + right / sw;
  }

  /// Offsets of all taps of a channel; `at` is the channel's own.
  int32_t* set_offsets(size_t at, int32_t* offset) const {
    for (int64_t h = 0; h < height.kernel; ++h) {
      for (int64_t w = 0; w < width.kernel; ++w) {
        *offset++ = static_cast<int32_t>(at + tap(static_cast<size_t>(h), static_cast<size_t>(w)));
      }
    }
    return offset;
  }

  /// Copies what output lines [first, first + count) read of a channel.
  void fill(const float* in, size_t first, size_t count, float* to) const {
    const int64_t top = static_cast<int64_t>(first) * height.stride - height.padding;
    const int64_t used = static_cast<int64_t>(count + plane_lines - lines);
    PaddedLines padded;
    padded.from_stride = height.in_stride * static_cast<ptrdiff_t>(height.stride);
    padded.step = static_cast<size_t>(width.stride);
    for (size_t ph = 0; ph < phases; ++ph) {
      const int64_t start = top + static_cast<int64_t>(ph);
      const util::ValidRange inside = util::valid_range(start, height.stride, height.in, used);
      padded.lines = static_cast<size_t>(inside.end - inside.begin);
      for (size_t copy = 0; copy < copies; ++copy, to += plane()) {
        const util::ValidRange valid = valid_[copy];
        padded.from = in + (start + inside.begin * height.stride) * height.in_stride +
                      start_of(copy) + valid.begin * width.stride;
        padded.before = static_cast<size_t>(valid.begin);
        padded.count = static_cast<size_t>(valid.end - valid.begin);
        padded.after = pitch - static_cast<size_t>(valid.end);
        padded.to = to + static_cast<size_t>(inside.begin) * pitch;
        simd->pad_lines(padded);
        clear_lines(0, inside.begin, to);
        clear_lines(inside.end, used, to);
      }
    }
  }

 private:
  void clear_lines(int64_t begin, int64_t end, float* to) const {
    if (begin < end) {
      std::memset(to + static_cast<size_t>(begin) * pitch, 0,
                  static_cast<size_t>(end - begin) * pitch * sizeof(float));
    }
  }

  util::ValidRange valid_[kCopies];
};

/// Some neighbouring pixels of a tile that lie in one output line.
struct Segment {
  size_t from;  // in the tile
  size_t count;
  ptrdiff_t to;  // in the output
};

/**
 * Finds the pixels among `columns` results from position `at` of the long vector of lines of
 * `pitch`, of which the first `width` are pixels. @returns how many segments there are.
 */
inline size_t find_pixels(size_t at, size_t columns, size_t pitch, size_t width,
                          ptrdiff_t line_stride, Segment* segments) {
  size_t line = at / pitch;
  size_t x = at - line * pitch;
  size_t found = 0;
  for (size_t done = 0; done < columns; ++line, x = 0) {
    const size_t left = min(pitch - x, columns - done);
    if (x < width) {
      segments[found++] = {done, min(width - x, left),
                           static_cast<ptrdiff_t>(line) * line_stride + static_cast<ptrdiff_t>(x)};
    }
    done += left;
  }
  return found;
}

}  // namespace torch::executor::native::optimized
