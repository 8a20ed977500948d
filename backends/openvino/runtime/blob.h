#pragma once

#include <cstddef>
#include <string>

#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace openvino {

/// What the header of exported bytes says about who wrote them, such as
/// "meta=1.0;ov=2026.4.1;isa=Intel AVX2"; empty where the bytes have no header of this form, as
/// those of other devices.
///
/// Of what the CPU exports, the header's offsets are held against the size here. What lies between
/// them is OpenVINO's to read; it does so as one reads one's own cache, not as one reads a
/// stranger's file.
///
/// @retval Error::DelegateInvalidCompatibility There are no bytes, or the header does not fit.
runtime::Result<std::string> read_header(const void* data, size_t size);

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
