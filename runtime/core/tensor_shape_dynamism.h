/// @file
/// How the shape of a tensor may change after load.
#pragma once

#include <cstdint>

namespace executorch {
namespace runtime {

/// Values are those of the program format.
enum class TensorShapeDynamism : uint8_t {
  STATIC = 0,           ///< The shape never changes.
  DYNAMIC_BOUND = 1,    ///< May change; the initial number of elements is the upper bound.
  DYNAMIC_UNBOUND = 2,  ///< May change without a bound known ahead of time.
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::TensorShapeDynamism;
}  // namespace executor
}  // namespace torch
