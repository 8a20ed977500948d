/// @file
/// How close two tensors are. Internal to the bundled program library.
#pragma once

#include <cstddef>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace bundled_program {
namespace internal {

/// Sums over elements.
struct Distance {
  double abs_sum = 0;
  double abs_max = 0;
  double relative_sum = 0;
  double relative_max = 0;
  size_t count = 0;
};

/// Whether two tensors have the same dtype, shape and order of dimensions; logs what differs.
bool are_comparable(const aten::Tensor& actual, const aten::Tensor& expected, size_t index);

/// Whether all elements are equal or, of a floating-point type, close; logs the first that is not.
/// The tensors are comparable.
bool are_close(const aten::Tensor& actual, const aten::Tensor& expected, double rtol, double atol,
               size_t index);

/// Adds the distance of comparable tensors; types that are not real numbers add nothing.
void add_distance(const aten::Tensor& actual, const aten::Tensor& expected, Distance& distance);

}  // namespace internal
}  // namespace bundled_program
}  // namespace executorch
