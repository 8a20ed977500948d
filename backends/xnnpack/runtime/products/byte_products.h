#pragma once

namespace executorch {
namespace backends {
namespace xnnpack {

/// From now on, XNNPACK multiplies rows of floats by weights of eight bits with functions of this
/// project where it has faster ones for this processor. The layout stays XNNPACK's own. Call it
/// once, when XNNPACK is initialized.
void use_byte_functions();

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
