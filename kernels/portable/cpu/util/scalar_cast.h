/**
 * @file
 * Scalars that become elements: which ones a dtype can hold.
 */
#pragma once

#include <executorch/kernels/portable/cpu/util/shape.h>

namespace torch::executor::native::util {

/**
 * Whether eager converts `value` to an element of the real dtype `to` without calling it an
 * overflow: NaN and infinity need a floating dtype, everything but Bool has to be in range.
 * A negative integer counts by its magnitude if `to` is unsigned; fractions are cut off.
 */
bool is_representable(const Scalar& value, ScalarType to);

/// Requires `is_representable(value, t.scalar_type())`; fails the context otherwise.
bool require_representable(KernelRuntimeContext& ctx, const Scalar& value, const Tensor& t);

}  // namespace torch::executor::native::util
