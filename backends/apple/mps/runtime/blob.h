#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <executorch/backends/apple/mps/serialization/schema_generated.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace mps {

/// What a delegate holds: a graph and the bytes of its constants (`serialization/schema.fbs` has
/// the layout). Both point into the bytes that were read, or the graph into `copy`.
struct Blob {
  const mpsgraph::MPSGraph* graph = nullptr;
  const uint8_t* constants = nullptr;
  /// The graph, where it lies on no multiple of eight.
  std::vector<uint64_t> copy;
};

/// Bytes of an element; 0 for a type that no delegate has.
size_t element_size(mpsgraph::MPSDataType type);

/// How many elements a value has.
size_t element_count(const mpsgraph::MPSTensor& value);

/// Reads the header, the graph and where constants lie.
///
/// Afterwards every value has a known type and sizes whose product is small enough for bytes to
/// be counted, every constant has as many bytes as its sizes ask for, and inputs, outputs and
/// constants are values. What nodes refer to is for whoever reads them.
///
/// @retval Error::DelegateInvalidCompatibility The bytes are no such graph.
runtime::Result<Blob> read_blob(const void* data, size_t size);

}  // namespace mps
}  // namespace backends
}  // namespace executorch
