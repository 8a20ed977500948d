/**
 * @file
 * Type promotion as eager does it, including the lower rank of zero-dim tensors and of scalars.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native::util {

/// The dtype of an operation on `a` and `b`.
ScalarType result_dtype(const Tensor& a, const Tensor& b);

/// The dtype of an operation on `n` tensors.
ScalarType result_dtype(const Tensor* const* tensors, size_t n);

/// The dtype of an operation on `a` and `b`.
ScalarType result_dtype(const Tensor& a, const Scalar& b);

/// The dtype of an operation on a tensor of dtype `t` (of nonzero rank) and `b`.
ScalarType result_dtype(ScalarType t, const Scalar& b);

/// The dtype a scalar becomes as a tensor: Float, Long or Bool.
ScalarType scalar_dtype(const Scalar& scalar);

/// True if results of dtype `from` may be written to a tensor of dtype `to`.
bool can_store(ScalarType from, ScalarType to);

/// True for Half, BFloat16, Float and Double.
bool is_floating(ScalarType t);

/// True for Bool and the integers.
bool is_integral_or_bool(ScalarType t);

/// The dtype of a result that has to be floating: `t` if it is, else Float.
inline ScalarType to_floating(ScalarType t) { return is_floating(t) ? t : ScalarType::Float; }

}  // namespace torch::executor::native::util
