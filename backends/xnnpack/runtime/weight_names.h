#pragma once

#include <executorch/backends/xnnpack/runtime/XNNWeightsCache.h>
#include <executorch/backends/xnnpack/runtime/subgraph.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// Gives names to the weights that the graph's nodes pack: those of their data, and a digest of all
/// else that the packing depends on (the kind of node, shapes, scales, zero points). Equal names
/// are equal packed weights, in whatever program they are.
///
/// @param graph The graph that `subgraph` was defined from.
void name_weights(const fb_xnnpack::XNNGraph& graph, const Subgraph& subgraph,
                  delegate::XNNWeightsCache& cache);

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
