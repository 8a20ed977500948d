/**
 * @file
 * Attention in blocks: the scores of a block of queries with a block of keys are weighted and
 * summed at once, so that no matrix of all scores is ever in memory.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native::attention {

/// Vectors of `head_dim` numbers in a row, one for each batch, head and position. Distances count
/// elements.
struct Operand {
  char* data = nullptr;
  ScalarType dtype = ScalarType::Undefined;
  ptrdiff_t batch = 0;
  ptrdiff_t head = 0;
  ptrdiff_t position = 0;

  /// Numbers are (element - zero point) * scale if there is one of each for every vector.
  const float* scales = nullptr;
  const int8_t* zero_points = nullptr;
  /// Of both.
  ptrdiff_t scale_batch = 0;
  ptrdiff_t scale_head = 0;
  ptrdiff_t scale_position = 0;
};

/// Everything about one attention. Operands fit each other; what does not is refused before.
struct Attention {
  Operand query;
  Operand key;
  Operand value;
  Operand out;

  size_t batches;
  size_t heads;
  size_t key_heads;  // a divisor of `heads`
  size_t positions;  // of the query
  size_t keys;       // how many of them take part
  size_t head_dim;

  float scale;
  /// Position of the first query. With `causal`, no query sees keys behind its own position.
  size_t start;
  bool causal;

  /// Added to the scores, if not null: a row for each query, a column for each key.
  const char* mask = nullptr;
  ScalarType mask_dtype = ScalarType::Undefined;
  ptrdiff_t mask_row = 0;
  ptrdiff_t mask_column = 0;
};

/// Writes the result, shared among the threads of the kernels in use. @returns false if there is
/// no memory for the blocks.
[[nodiscard]] bool attend(const Attention& attention);

}  // namespace torch::executor::native::attention
