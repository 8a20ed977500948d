/// @file
/// A call of an operator, and the tables of those that there are.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tosa_serialization_lib/tosa_generated.h>

#include <executorch/backends/arm/runtime/testing/tosa_value.h>
#include <executorch/runtime/core/error.h>

namespace executorch {
namespace backends {
namespace arm {
namespace tosa_test {

constexpr size_t kMostInputs = 16;

/// What the specification calls arguments, shapes of constants among them, and attributes.
struct Call {
  const tosa::TosaOperator* op = nullptr;
  Value inputs[kMostInputs];
  size_t num_inputs = 0;
  Value output;
};

using Operator = runtime::Error (*)(const Call&);

/// The operator of this kind; null if none here has it.
Operator find_layer(tosa::Op op);
Operator find_elementwise(tosa::Op op);
Operator find_mover(tosa::Op op);

}  // namespace tosa_test
}  // namespace arm
}  // namespace backends
}  // namespace executorch
