#pragma once

#include <cstddef>

#include <executorch/backends/vulkan/runtime/graph/graph.h>
#include <executorch/runtime/core/error.h>

namespace executorch {
namespace backends {
namespace vulkan {

/// Elements of the program as elements of the device. Neither needs to be aligned.
///
/// @retval Error::InvalidArgument An integer does not fit into 32 bits.
/// @retval Error::NotSupported Floats do not become integers here.
runtime::Error copy_in(const void* from, DType type, void* to, Element element, size_t count);

/// The other way round. What is narrower takes the low bits.
runtime::Error copy_out(const void* from, Element element, void* to, DType type, size_t count);

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
