#pragma once

#include <cstddef>
#include <vector>

#include <executorch/backends/vulkan/runtime/graph/graph.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace vulkan {

/// Reads the graph in a delegate's bytes, of which nothing is trusted.
///
/// @param named Data of the program and of the files loaded with it; may be null.
/// @param held Gets the constants' bytes that come from there. The graph's other constants lie in
///     `data`; both must live as long as they are read.
/// @retval Error::DelegateInvalidCompatibility The bytes are no graph of this format.
/// @retval Error::NotFound A constant is not among the named data.
runtime::Result<Graph> read_graph(const void* data, size_t size, const runtime::NamedDataMap* named,
                                  std::vector<runtime::FreeableBuffer>& held);

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
