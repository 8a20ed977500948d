/// @file
/// Runs TOSA files of the integer profile: what the test driver has in place of an NPU. Plain
/// loops, no heap; a Python test compares every bit with TOSA's reference model.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace backends {
namespace arm {

/// Bytes of an input or output.
struct TosaBuffer {
  uint8_t* data;
  size_t size;
};

/// Runs the graph of a file.
///
/// @param file At a multiple of 8.
/// @param inputs One for each input of the graph, of its size.
/// @param outputs The same of outputs.
/// @param memory For the tensors between, all of them; what is taken is not given back.
/// @retval Error::InvalidProgram It is no TOSA file.
/// @retval Error::NotSupported It has an operator or type that is not here; the log says which.
/// @retval Error::InvalidArgument Inputs or outputs do not fit.
runtime::Error run_tosa(const void* file, size_t size, runtime::Span<const TosaBuffer> inputs,
                        runtime::Span<const TosaBuffer> outputs, runtime::MemoryAllocator& memory);

}  // namespace arm
}  // namespace backends
}  // namespace executorch
