/// @file
/// Element and byte counts of shapes that come from files or users, with every overflow checked.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {

/// Number of elements of a shape; 1 for rank 0, 0 if any size is 0. Fits into ssize_t.
///
/// @retval Error::InvalidArgument A negative size, or too many elements for the address space.
Result<size_t> checked_numel(Span<const int32_t> sizes);

/// Number of bytes of a dense tensor. Fits into ssize_t.
///
/// @retval Error::InvalidArgument As checked_numel(), or `type` is not an element type.
Result<size_t> checked_nbytes(Span<const int32_t> sizes, etensor::ScalarType type);

}  // namespace runtime
}  // namespace executorch
