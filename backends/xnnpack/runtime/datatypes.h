#pragma once

#include <cstddef>

#include <xnnpack.h>

#include <executorch/backends/xnnpack/serialization/schema_generated.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// XNNPACK's number for a datatype of a file; `xnn_datatype_invalid` for one that values do not
/// have here.
xnn_datatype datatype_of(fb_xnnpack::XNNDatatype stored);

/// Bits of one element of a constant; 0 for types that constants do not have.
size_t bits_of(xnn_datatype datatype);

/// "fp32" and the like, "no" for `xnn_datatype_invalid`.
const char* name_of(xnn_datatype datatype);

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
