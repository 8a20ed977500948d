/**
 * @file
 * Factors of symmetric matrices that need not be positive: a unit lower triangle times a diagonal
 * of blocks of one or two rows times the triangle's transpose, with LAPACK's pivots (`sytrf`).
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/linear_algebra/dense.h>

namespace torch::executor::native::util {

/**
 * Replaces a matrix, of which the lower triangle counts, by its factors; above the diagonal are
 * zeros.
 * @param pivots A number p says that the row was exchanged with row p - 1; two rows with -p that
 * they are one block, whose second row was.
 * @returns 0, or one more than the first block that is 0.
 */
int32_t factor_indefinite(const Matrix& a, int32_t* pivots);

/// Replaces `b` by x in a x = b, for the factors of a. The pivots are good
/// (`are_indefinite_pivots`).
void solve_indefinite(const Matrix& a, const int32_t* pivots, const Matrix& b);

/// Whether pivots name rows, and those of blocks stand in pairs.
bool are_indefinite_pivots(const int32_t* pivots, size_t count);

}  // namespace torch::executor::native::util
