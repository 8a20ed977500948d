/// @file
/// Between the caller's tensors and the places in scratch memory that a blob names.
#pragma once

#include <cstdint>

#include <executorch/backends/arm/runtime/vela_blob.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace backends {
namespace arm {

/// Whether a tensor fits: as many elements, of the same size.
///
/// @retval Error::InvalidArgument It does not; the log says why.
runtime::Error check_tensor(const aten::Tensor& tensor, const VelaIo& io, const char* kind,
                            size_t index);

/// Copies a tensor's elements to `place`, in the blob's order: that of the tensor's sizes, or with
/// channels last if these are the blob's sizes and the tensor's are not. How the tensor itself lies
/// in memory (its dim order) does not matter.
void copy_in(const aten::Tensor& tensor, const VelaIo& io, uint8_t* place);

/// The way back.
void copy_out(const aten::Tensor& tensor, const VelaIo& io, const uint8_t* place);

}  // namespace arm
}  // namespace backends
}  // namespace executorch
