#pragma once

#include <executorch/backends/xnnpack/runtime/xnnpack_extras.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// Packs weights of four bits in blocks: the same bytes as XNNPACK's own function, which takes them
/// one by one, but sixteen at a time, and on the threads of the process's pool. A layout that it is
/// not made for goes to XNNPACK's. An `xnn_block_packing_fn`.
void pack_blocks(size_t groups, size_t columns, size_t depth, size_t nr, size_t kr, size_t sr,
                 size_t block, const uint8_t* weights, const float* bias, const uint16_t* scales,
                 void* packed, size_t extra_bytes_block, size_t extra_bytes_columns,
                 const void* params);

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
