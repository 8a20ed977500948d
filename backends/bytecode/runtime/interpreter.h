#pragma once

#include <cstddef>

#include <executorch/backends/bytecode/runtime/bytecode.h>

namespace executorch {
namespace backends {
namespace bytecode {

/// How many elements a register holds: few enough that all registers stay in the first-level cache.
constexpr size_t kBlock = 64;

/// Where the tensors of one call lie; each has as many elements as the call.
struct Operands {
  const float* const* inputs;
  const float* const* data;
  float* const* outputs;
};

/// Runs the code for elements 0 to `count - 1`, block by block.
///
/// @param registers `code.num_registers() * kBlock` floats of scratch memory.
void run(const Code& code, const Operands& operands, size_t count, float* registers);

}  // namespace bytecode
}  // namespace backends
}  // namespace executorch
