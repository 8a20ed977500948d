/// @file
/// Memory format and layout arguments of operators.
#pragma once

#include <cstdint>

namespace executorch {
namespace runtime {
namespace etensor {

/// Memory format an operator is asked for. Edge programs express everything beyond this as a dim
/// order.
enum class MemoryFormat : int8_t {
  Contiguous = 0,
  Preserve = 1,
};

/// Storage layout; only dense (strided) tensors exist.
enum class Layout : int8_t {
  Strided = 0,
};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::Layout;
using ::executorch::runtime::etensor::MemoryFormat;
}  // namespace executor
}  // namespace torch
