#pragma once

namespace executorch {
namespace backends {
namespace xnnpack {

/// From now on, XNNPACK packs weights of four bits in blocks, and multiplies rows that were
/// quantized when they came by them, with functions of this project where it has faster ones for
/// this processor. The layout stays XNNPACK's own. Call it once, when XNNPACK is initialized.
void use_block_functions();

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
