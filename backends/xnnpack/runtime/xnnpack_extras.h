#pragma once

#include <cstddef>
#include <cstdint>

#include <xnnpack.h>

// What XNNPACK knows but its header does not offer; third-party/overlays/xnnpack.BUILD adds these
// functions to the library.
extern "C" {

/// Another thread pool (null for none) for what runs from now on. The runtime has to be reshaped
/// before it runs again. Of this name and meaning in later releases.
enum xnn_status xnn_update_runtime_with_threadpool(xnn_runtime_t runtime, pthreadpool_t threadpool);

/// `xnn_reshape_runtime` that allocates nothing for a value, or for one operator's intermediate
/// results, of more than `limit` bytes, and no more than the shapes ask for that values have now.
/// XNNPACK by itself lets products of sizes overflow, and has room for the shapes that values were
/// defined with.
///
/// @retval xnn_status_out_of_memory Something is larger. The runtime has to be reshaped before it
/// runs again.
enum xnn_status xnn_reshape_runtime_within(xnn_runtime_t runtime, size_t limit);

/// How many nodes were defined so far.
uint32_t xnn_get_subgraph_num_nodes(xnn_subgraph_t subgraph);

/// The shape of any value, external or not, as the last reshaping of the runtime left it; `dims`
/// has room for XNN_MAX_TENSOR_DIMS.
enum xnn_status xnn_get_runtime_value_shape(xnn_runtime_t runtime, uint32_t id, size_t* num_dims,
                                            size_t* dims);

/// For each operator, in the order of `xnn_get_runtime_profiling_info`: which node it runs, and
/// when it ended, in nanoseconds since the last invocation began. For a runtime made with
/// XNN_FLAG_BASIC_PROFILING.
///
/// @return How many operators there are; only the first `capacity` of them are written.
size_t xnn_get_runtime_operator_times(xnn_runtime_t runtime, size_t capacity, uint32_t* nodes,
                                      uint64_t* ends);
}
