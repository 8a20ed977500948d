/**
 * @file
 * p-norm distances between rows.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native::util {

/// The p-norm of the difference of two rows of `n` consecutive elements of a floating dtype.
double distance(ScalarType dtype, const char* a, const char* b, size_t n, double p);

}  // namespace torch::executor::native::util
