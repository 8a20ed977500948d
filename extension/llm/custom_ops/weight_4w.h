/**
 * @file
 * Products with weights of four bits in groups, which several operators have.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native {

/// Columns of a block, and the bytes that a line of it has.
constexpr size_t kColumns4w = 64;
constexpr size_t kBytes4w = kColumns4w / 2;

/**
 * A weight `[n, k]`, whose columns here are its rows.
 *
 * They lie in blocks of 64, the last one filled up, so that a block is read from its begin to its
 * end: column j of a block is the low half of byte j of a line, and column 32 + j the high one.
 */
struct Weight4w {
  const uint8_t* bytes;  // [blocks, depth, 32]
  const float* scales;   // [blocks, groups, 64]
  size_t depth;
  size_t groups;
  size_t group;  // depth / groups

  const uint8_t* line(size_t block, size_t k) const {
    return bytes + (block * depth + k) * kBytes4w;
  }
  const float* scales_of(size_t block, size_t k) const {
    return scales + (block * groups + k / group) * kColumns4w;
  }
};

/// out[r, n] = sum over k of x[r, k] * (weight[n, k] - 8) * scale[n, k / group]; all contiguous.
void multiply_4w(const Weight4w& weight, const float* x, size_t rows, size_t columns, float* out);

}  // namespace torch::executor::native
