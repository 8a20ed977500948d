/// @file
/// How attention is cut into units of work, and where the numbers of each lie.
#pragma once

#include <cstddef>

#include <executorch/extension/llm/custom_ops/attention.h>
#include <executorch/kernels/portable/cpu/internal/float_loops.h>

namespace torch::executor::native::attention {

using util::Compute;
using util::float_loops;
using util::NumberLines;

/// Bounds of the blocks, such that what belongs to one stays in the caches.
constexpr size_t kMostRows = 64;
constexpr size_t kRowElements = 4096;    // of a block of queries, and of its results
constexpr size_t kScores = 16384;        // of a block of queries with one of keys
constexpr size_t kMostKeys = 1024;       // in a block
constexpr size_t kLineElements = 16384;  // of keys or values that were converted
/// Rows up to which keys and values are read where they lie, bytes too: their memory is what takes
/// the time.
constexpr size_t kFewRows = 8;
/// Then keys are cut into parts, which threads share where there are fewer heads than threads, and
/// whose results are put together. How many there are depends on shapes alone, so that results do.
constexpr size_t kPartKeys = 256;
constexpr size_t kMostParts = 16;
/// Where the heads of a key lie beside each other a unit takes all of them, in blocks that are near
/// while head after head is read: so memory is read in order, as it is fastest.
constexpr size_t kTogetherBytes = 98304;  // of the keys of a block
constexpr size_t kTogetherPartKeys = 128;
/// Multiplications below which a thread of its own does not pay.
constexpr size_t kGrain = 100000;

inline size_t min(size_t a, size_t b) { return a < b ? a : b; }

inline size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

inline size_t clamp(size_t x, size_t low, size_t high) { return x < low ? low : min(x, high); }

/// Neighbouring vectors of an operand, along its heads or its positions.
struct Lines {
  const Operand* operand;
  ptrdiff_t first;
  ptrdiff_t step;
  ptrdiff_t first_scale;
  ptrdiff_t scale_step;

  bool are_floats() const {
    return operand->dtype == ScalarType::Float && operand->scales == nullptr;
  }

  bool are_scaled_bytes() const {
    return operand->dtype == ScalarType::Char && operand->scales != nullptr;
  }

  const float* floats() const { return reinterpret_cast<const float*>(operand->data) + first; }

  char* line(size_t i) const {
    const ptrdiff_t offset = first + static_cast<ptrdiff_t>(i) * step;
    return operand->data +
           offset * static_cast<ptrdiff_t>(executorch::runtime::elementSize(operand->dtype));
  }

  /// Writes line `i` as floats.
  void read(size_t i, size_t n, float* to) const {
    if (operand->scales == nullptr) {
      return util::load(Compute::kFloat, operand->dtype, line(i), 1, n, to);
    }
    const ptrdiff_t at = first_scale + static_cast<ptrdiff_t>(i) * scale_step;
    const float scale = operand->scales[at];
    const float zero_point = operand->zero_points[at];
    if (operand->dtype == ScalarType::Char && float_loops.dequantize != nullptr) {
      return float_loops.dequantize(reinterpret_cast<const uint8_t*>(line(i)), n, true, scale,
                                    zero_point, to);
    }
    util::load(Compute::kFloat, operand->dtype, line(i), 1, n, to);
    for (size_t j = 0; j < n; ++j) {
      to[j] = (to[j] - zero_point) * scale;
    }
  }
};

/// `n` lines where they lie; they are floats or scaled bytes.
inline NumberLines in_place(const Lines& lines, size_t n, size_t length) {
  const ptrdiff_t size =
      static_cast<ptrdiff_t>(executorch::runtime::elementSize(lines.operand->dtype));
  const bool scaled = lines.are_scaled_bytes();
  return {lines.line(0),
          lines.step * size,
          n,
          length,
          scaled ? lines.operand->scales + lines.first_scale : nullptr,
          scaled ? lines.operand->zero_points + lines.first_scale : nullptr,
          lines.scale_step};
}

inline Lines lines_at(const Operand& operand, size_t batch, size_t head, size_t position,
                      bool along_heads) {
  const auto at = [&](ptrdiff_t per_batch, ptrdiff_t per_head, ptrdiff_t per_position) {
    return static_cast<ptrdiff_t>(batch) * per_batch + static_cast<ptrdiff_t>(head) * per_head +
           static_cast<ptrdiff_t>(position) * per_position;
  };
  return {&operand, at(operand.batch, operand.head, operand.position),
          along_heads ? operand.head : operand.position,
          at(operand.scale_batch, operand.scale_head, operand.scale_position),
          along_heads ? operand.scale_head : operand.scale_position};
}

/// How the work is cut: a unit is a block of rows, each of which is one query of one head, with all
/// keys or a part of them; or such blocks of all heads of a batch. The heads that share keys make
/// up the rows if there is one position, else the positions do.
struct Plan {
  bool by_heads;
  size_t lines;      // rows that share keys
  size_t rows;       // of a block
  size_t blocks;     // of rows
  size_t groups;     // of lines in a batch
  bool few;          // rows: see kFewRows
  size_t together;   // groups of a unit: one, or all of a batch
  size_t parts;      // of the keys
  size_t part_keys;  // of one
  size_t keys;       // of a block
  size_t converted;  // elements of a block of keys that are not read in place

  explicit Plan(const Attention& a)
      : by_heads(a.positions == 1),
        lines(by_heads ? a.heads / a.key_heads : a.positions),
        rows(min(lines, clamp(kRowElements / a.head_dim, 1, kMostRows))),
        blocks(divide_up(lines, rows)),
        groups(by_heads ? a.key_heads : a.heads),
        few(rows <= kFewRows && float_loops.multiply_lines != nullptr),
        together(few && by_heads && blocks == 1 && lie_together(a.key) && lie_together(a.value)
                     ? groups
                     : 1),
        parts(few ? clamp(a.keys / (together > 1 ? kTogetherPartKeys : kPartKeys), 1, kMostParts)
                  : 1),
        part_keys(divide_up(a.keys, parts)),
        keys(clamp(together > 1 ? kTogetherBytes / position_bytes(a.key) : kScores / rows, 16,
                   kMostKeys)) {
    const bool converts = !reads_in_place(a.key) || !reads_in_place(a.value);
    if (converts) {
      keys = min(keys, clamp(kLineElements / a.head_dim, 16, kMostKeys));
    }
    keys = clamp(part_keys, 1, keys);
    converted = converts ? keys * a.head_dim : 0;
  }

  static bool lie_together(const Operand& operand) { return operand.head < operand.position; }
  static size_t position_bytes(const Operand& operand) {
    return static_cast<size_t>(operand.position) * executorch::runtime::elementSize(operand.dtype);
  }

  /// Blocks of rows of all groups.
  size_t row_blocks(const Attention& a) const { return a.batches * groups * blocks; }
  size_t units(const Attention& a) const { return row_blocks(a) / together * parts; }
  /// Floats that a unit leaves if there are several parts: sums, largest score and total of a row.
  size_t partial(const Attention& a) const { return rows * (a.head_dim + 2); }

  bool reads_in_place(const Operand& operand) const {
    const Lines lines = {&operand, 0, 0, 0, 0};
    return lines.are_floats() || (few && lines.are_scaled_bytes());
  }
};

}  // namespace torch::executor::native::attention
