#pragma once

#include <executorch/backends/xnnpack/runtime/subgraph.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// Whether XNNPACK has the node for the datatypes that its values have, and whether what it writes
/// has as many dimensions as the file says.
///
/// XNNPACK itself asks less: for combinations that it does not know it ends the process, or takes
/// one value's datatype for that of another and writes past its memory; and it takes the number of
/// dimensions for granted. With every result's number of dimensions checked, those in the file are
/// those at run time, whatever sizes inputs have then.
///
/// @retval Error::DelegateInvalidCompatibility The log names the node and the datatypes, or the
/// value and the numbers of dimensions.
/// @retval Error::NotSupported The node is of a kind that files do not have here.
runtime::Error check_types(const Subgraph& subgraph, const fb_xnnpack::XNode& node);

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
