/**
 * @file
 * Scalars that become elements: which ones a dtype can hold, and as what.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/**
 * Whether eager converts `value` to an element of the real dtype `to` without calling it an
 * overflow: NaN and infinity need a floating dtype, everything but Bool has to be in range.
 * A negative integer counts by its magnitude if `to` is unsigned; fractions are cut off.
 */
bool is_representable(const Scalar& value, ScalarType to);

/// Requires `is_representable(value, to)`; fails the context otherwise.
bool require_representable(KernelRuntimeContext& ctx, const Scalar& value, ScalarType to);

/// Requires `is_representable(value, t.scalar_type())`; fails the context otherwise.
bool require_representable(KernelRuntimeContext& ctx, const Scalar& value, const Tensor& t);

/// Requires that `value` is a factor of elements of the floating dtype `t`, of which half types
/// are calculated with as floats.
bool require_factor(KernelRuntimeContext& ctx, const Scalar& value, ScalarType t);

/// Requires that the result of an operation in `common` has an alpha: an integer for integers, and
/// one that the dtype can hold; of a subtraction its negative is what is added.
bool require_alpha(KernelRuntimeContext& ctx, const Scalar& alpha, ScalarType common,
                   bool subtract);

/// The value of `value` as an element of the real dtype `to`: rounded, or wrapped around.
ScalarValue as_element(const Scalar& value, ScalarType to);

}  // namespace torch::executor::native::util
