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
/// XNNPACK by itself lets products of sizes overflow, has room for the shapes that values were
/// defined with, and writes beyond its memory when a convolution of dynamically quantized images is
/// given more of them than before.
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

/// Zero point and scale of a row that was quantized when it came: of XNNPACK's own layout.
struct xnn_row_quantization {
  int32_t zero_point;
  float inv_scale;
};

/// What a product by four-bit blocks does at its end: of XNNPACK's own layout.
struct xnn_block_product_params {
  float min;
  float max;
  size_t blocksize;
};

/// A microkernel of rows that were quantized when they came, by weights of four bits in blocks with
/// a scale each; arguments are those of XNNPACK's microkernels: strides in bytes, `columns` of the
/// output, `depth` a multiple of the block.
typedef void (*xnn_block_product_fn)(size_t rows, size_t columns, size_t depth, const int8_t* a,
                                     size_t a_stride, const void* weights, float* c,
                                     size_t c_stride, size_t c_next,
                                     const struct xnn_block_product_params* params,
                                     const struct xnn_row_quantization* quantization);

/// Packs the weights of such a product; arguments are those of XNNPACK's function. `bias` is null.
typedef void (*xnn_block_packing_fn)(size_t groups, size_t columns, size_t depth, size_t nr,
                                     size_t kr, size_t sr, size_t block, const uint8_t* weights,
                                     const float* bias, const uint16_t* scales, void* packed,
                                     size_t extra_bytes_block, size_t extra_bytes_columns,
                                     const void* params);

/// How XNNPACK lays such weights out, and how many rows its microkernel takes at most.
struct xnn_block_layout {
  size_t mr;
  size_t nr;
  size_t kr;
  size_t sr;
  size_t planes;
};

struct xnn_block_layout xnn_get_block_layout(void);

/// XNNPACK's own function for packing by blocks.
extern const xnn_block_packing_fn xnn_reference_block_packing;

/// Operators that are created from now on use these: `packing` for weights in XNNPACK's layout,
/// `one` for a single row, `many` for up to `mr`. None of the products is changed if `many` is
/// null. Not while another thread creates operators.
void xnn_set_block_functions(xnn_block_packing_fn packing, xnn_block_product_fn one,
                             xnn_block_product_fn many, size_t mr);

/// What a product by weights of eight bits does at its end: of XNNPACK's own layout.
struct xnn_byte_product_params {
  float min;
  float max;
};

/// A microkernel of rows of floats by weights of eight bits with a scale for each column; arguments
/// are those of XNNPACK's microkernels: strides and depth in bytes, `columns` of the output.
typedef void (*xnn_byte_product_fn)(size_t rows, size_t columns, size_t depth_bytes, const float* a,
                                    size_t a_stride, const void* weights, float* c, size_t c_stride,
                                    size_t c_next, const struct xnn_byte_product_params* params);

/// How XNNPACK lays such weights out.
struct xnn_block_layout xnn_get_byte_layout(void);

/// Operators that are created from now on use these, as above: `one` for a single row, `many`, if
/// not null, for up to `mr`.
void xnn_set_byte_functions(xnn_byte_product_fn one, xnn_byte_product_fn many, size_t mr);

/// Whether this processor has AMX, and the system lets this process use it.
bool xnn_may_use_amx(void);
}
