/// @file
/// Shapes as text, for messages, without allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {

/// Room for the largest shape: kTensorDimensionLimit sizes of up to 11 characters, separators,
/// parentheses and the terminator.
constexpr size_t kTensorShapeStringSizeLimit = 2 + kTensorDimensionLimit * (11 + 2) + 1;

/// The shape as "(2, 3)"; "()" for rank 0. Above kTensorDimensionLimit dimensions, a text that says
/// so instead.
std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(Span<const int32_t> shape);

/// The same for sizes of 64 bits; "..." stands for the rest of a shape whose numbers need more
/// room.
std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(Span<const int64_t> shape);

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::kTensorShapeStringSizeLimit;
using ::executorch::runtime::tensor_shape_to_c_string;
}  // namespace executor
}  // namespace torch
