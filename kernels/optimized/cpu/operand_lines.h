/**
 * @file
 * Two operands that broadcast to the shape of an output, as lines in its memory order.
 */
#pragma once

#include <cstring>

#include <executorch/kernels/optimized/cpu/elementwise_loops.h>
#include <executorch/kernels/portable/cpu/internal/compute.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>

namespace torch::executor::native::optimized {

/// The fewest elements that are worth a thread.
constexpr size_t kElementGrain = 16384;

/// One or two operands, line by line in the memory order of the output, which has no gaps.
/// Dimensions that can be stepped over as one are merged; 0 is the innermost.
struct Lines {
  size_t rank = 0;
  size_t size[util::kMaxRank] = {1};
  ptrdiff_t stride[2][util::kMaxRank] = {};

  Lines(const Tensor& a, const Tensor& b, const Tensor& out) {
    const size_t out_rank = static_cast<size_t>(out.dim());
    const auto order = out.dim_order();
    for (size_t k = out_rank; k-- > 0;) {
      const size_t d = order[k];
      const size_t length = static_cast<size_t>(out.size(static_cast<ssize_t>(d)));
      if (length != 1) {
        push(length, stride_of(a, d, out_rank), stride_of(b, d, out_rank));
      }
    }
    if (rank == 0) {
      push(1, 1, 1);
    }
  }

  /// True if the innermost dimension of each operand is contiguous, or one element for all of it.
  bool is_simple() const {
    const ptrdiff_t a = stride[0][0];
    const ptrdiff_t b = stride[1][0];
    return (a == 0 || a == 1) && (b == 0 || b == 1) && a + b != 0;
  }

  Form form() const {
    return stride[0][0] == 0   ? Form::kLeftSingle
           : stride[1][0] == 0 ? Form::kRightSingle
                               : Form::kBoth;
  }

  /// A line, by its index along each dimension, and where it begins in both operands.
  struct Place {
    size_t index[util::kMaxRank] = {};
    ptrdiff_t offset[2] = {};
  };

  Place place_of(size_t line) const {
    Place place;
    for (size_t d = 1; d < rank; ++d) {
      place.index[d] = line % size[d];
      for (size_t k = 0; k < 2; ++k) {
        place.offset[k] += static_cast<ptrdiff_t>(place.index[d]) * stride[k][d];
      }
      line /= size[d];
    }
    return place;
  }

  void next(Place& place) const {
    for (size_t d = 1; d < rank; ++d) {
      const bool done = ++place.index[d] == size[d];
      const ptrdiff_t steps = done ? 1 - static_cast<ptrdiff_t>(size[d]) : 1;
      place.offset[0] += steps * stride[0][d];
      place.offset[1] += steps * stride[1][d];
      if (!done) {
        return;
      }
      place.index[d] = 0;
    }
  }

 private:
  static ptrdiff_t stride_of(const Tensor& t, size_t d, size_t out_rank) {
    const size_t missing = out_rank - static_cast<size_t>(t.dim());
    const bool repeated = d < missing || t.size(static_cast<ssize_t>(d - missing)) == 1;
    return repeated ? 0 : t.strides()[d - missing];
  }

  void push(size_t length, ptrdiff_t a, ptrdiff_t b) {
    if (rank > 0) {
      const ptrdiff_t below = static_cast<ptrdiff_t>(size[rank - 1]);
      if (a == stride[0][rank - 1] * below && b == stride[1][rank - 1] * below) {
        size[rank - 1] *= length;
        return;
      }
    }
    size[rank] = length;
    stride[0][rank] = a;
    stride[1][rank] = b;
    ++rank;
  }
};

/// Calls `line(a, b, out, n)` with offsets for the lines, or parts of the only one.
template <typename Line>
void for_each_line(const Lines& lines, size_t total, const Line& line) {
  const size_t length = lines.size[0];
  if (lines.rank == 1) {
    util::parallel_for(total, kElementGrain, [&](size_t begin, size_t end) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(begin);
      line(at * lines.stride[0][0], at * lines.stride[1][0], at, end - begin);
    });
    return;
  }
  util::parallel_for(total / length, 1 + kElementGrain / length, [&](size_t begin, size_t end) {
    Lines::Place place = lines.place_of(begin);
    for (size_t i = begin; i < end; ++i) {
      line(place.offset[0], place.offset[1], static_cast<ptrdiff_t>(i * length), length);
      lines.next(place);
    }
  });
}

/// Bytes of a line that is written out several times, so that short lines become long ones.
constexpr size_t kRepeatedBytes = 8192;

/// The operand that is one short line for each of the other's, or 2 if none is.
inline size_t repeated_operand(const Lines& lines, size_t element_size) {
  if (lines.rank != 2 || lines.form() != Form::kBoth ||
      lines.size[0] * element_size > kRepeatedBytes / 8) {
    return 2;
  }
  const ptrdiff_t dense = static_cast<ptrdiff_t>(lines.size[0]);
  for (size_t k = 0; k < 2; ++k) {
    if (lines.stride[k][1] == 0 && lines.stride[1 - k][1] == dense) {
      return k;
    }
  }
  return 2;
}

/// Two operands and an output: where they are, and the sizes of their elements.
struct Elements {
  const char* a;
  const char* b;
  char* out;
  size_t size;
  size_t out_size;
};

/// Runs `loop(a, b, n, out)` on some lines at a time, of which one operand has but one.
template <typename Loop>
void run_repeated(const Lines& lines, size_t repeated, const Elements& elements, const Loop& loop) {
  const size_t length = lines.size[0];
  const size_t bytes = length * elements.size;
  const size_t copies = kRepeatedBytes / bytes;
  util::parallel_for(lines.size[1], 1 + kElementGrain / length, [&](size_t begin, size_t end) {
    alignas(64) char written[kRepeatedBytes];
    const char* line = repeated == 0 ? elements.a : elements.b;
    const size_t used = copies < end - begin ? copies : end - begin;
    for (size_t i = 0; i < used; ++i) {
      std::memcpy(written + i * bytes, line, bytes);
    }
    for (size_t i = begin; i < end; i += copies) {
      const size_t lines_now = end - i < copies ? end - i : copies;
      loop(repeated == 0 ? written : elements.a + i * bytes,
           repeated == 1 ? written : elements.b + i * bytes, lines_now * length,
           elements.out + i * length * elements.out_size);
    }
  });
}

/// Lines below this cost more than they save.
constexpr size_t kShortLine = 16;

/// The operand that has one element for each short line of the other one, or 2 if none has.
inline size_t spread_operand(const Lines& lines) {
  if (lines.rank != 2 || lines.size[0] >= kShortLine) {
    return 2;
  }
  const ptrdiff_t dense = static_cast<ptrdiff_t>(lines.size[0]);
  for (size_t k = 0; k < 2; ++k) {
    if (lines.stride[k][0] == 0 && lines.stride[k][1] == 1 && lines.stride[1 - k][0] == 1 &&
        lines.stride[1 - k][1] == dense) {
      return k;
    }
  }
  return 2;
}

/// The form in which `run_lines` calls its loop.
inline Form loop_form(const Lines& lines) {
  return spread_operand(lines) < 2 ? Form::kBoth : lines.form();
}

/// Runs `loop(a, b, n, out)` on some short lines at a time, for which one operand is written out.
template <typename Loop>
void run_spread(const Lines& lines, size_t spread, const Elements& elements, const Loop& loop) {
  const size_t length = lines.size[0];
  const size_t bytes = length * elements.size;
  const size_t most = kRepeatedBytes / bytes;
  util::parallel_for(lines.size[1], 1 + kElementGrain / length, [&](size_t begin, size_t end) {
    alignas(64) char written[kRepeatedBytes];
    const char* one = spread == 0 ? elements.a : elements.b;
    for (size_t i = begin; i < end; i += most) {
      const size_t count = end - i < most ? end - i : most;
      util::float_loops.copy_lines({one + i * elements.size, static_cast<ptrdiff_t>(elements.size),
                                    0, written, static_cast<ptrdiff_t>(bytes), elements.size,
                                    length, count});
      loop(spread == 0 ? written : elements.a + i * bytes,
           spread == 1 ? written : elements.b + i * bytes, count * length,
           elements.out + i * length * elements.out_size);
    }
  });
}

/// Runs `loop(a, b, n, out)` on all lines.
template <typename Loop>
void run_lines(const Lines& lines, size_t total, const Elements& elements, const Loop& loop) {
  const size_t repeated = repeated_operand(lines, elements.size);
  if (repeated < 2) {
    run_repeated(lines, repeated, elements, loop);
    return;
  }
  const size_t spread = spread_operand(lines);
  if (spread < 2) {
    run_spread(lines, spread, elements, loop);
    return;
  }
  const ptrdiff_t size = static_cast<ptrdiff_t>(elements.size);
  for_each_line(lines, total, [&](ptrdiff_t i, ptrdiff_t j, ptrdiff_t to, size_t n) {
    loop(elements.a + i * size, elements.b + j * size, n,
         elements.out + to * static_cast<ptrdiff_t>(elements.out_size));
  });
}

/// Whether there are loops for the lines that two operands make: each contiguous or one element,
/// and neither short nor such that `run_lines` makes long ones of them.
inline bool are_lines(const Lines& lines, size_t element_size) {
  return lines.is_simple() &&
         (lines.rank == 1 || lines.size[0] >= kShortLine ||
          repeated_operand(lines, element_size) < 2 || spread_operand(lines) < 2);
}

}  // namespace torch::executor::native::optimized
