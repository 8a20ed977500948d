// Writes .ptd files: the parameters that a program on the device has trained, for the next one to
// load.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace extension {
namespace flat_tensor {

/// Writes tensors under their names to a file, which is replaced.
///
/// The data of each tensor begins at a multiple of `tensor_alignment`, a power of two.
///
/// InvalidArgument: the alignment is no power of two, or a tensor has no memory. AccessFailed: the
/// file cannot be written; what is there then is no whole file.
runtime::Error save_ptd(const std::string& path,
                        const std::map<std::string, aten::Tensor>& tensor_map,
                        size_t tensor_alignment);

/// The same to a stream that is open in binary mode.
runtime::Error save_ptd(std::ostream& out, const std::map<std::string, aten::Tensor>& tensor_map,
                        size_t tensor_alignment);

}  // namespace flat_tensor
}  // namespace extension
}  // namespace executorch
