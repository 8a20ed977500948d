/// @file
/// The largest rank of a tensor.
#pragma once

#include <cstddef>

namespace executorch {
namespace runtime {

/// Rank limit; lets code keep shapes in arrays on the stack.
constexpr size_t kTensorDimensionLimit = 16;

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::kTensorDimensionLimit;
}  // namespace executor
}  // namespace torch
