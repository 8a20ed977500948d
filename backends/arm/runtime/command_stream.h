/// @file
/// The driver's payload: what stands around a command stream, and which memory the commands name.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace arm {

/// Walks through a payload ("COP1", the driver's actions, among them the commands of the NPU).
///
/// The NPU reads and writes where its commands say, with no bounds: what the walk cannot promise is
/// that addresses within a region stay in it. Run only programs whose origin is known, or give the
/// NPU's bus a protection unit.
///
/// @return A bit for each region that the commands name.
/// @retval Error::DelegateInvalidCompatibility The payload is cut off, or has actions or regions
/// that
///     the blob does not have; the log says where.
runtime::Result<uint32_t> check_command_stream(const uint8_t* data, size_t size);

}  // namespace arm
}  // namespace backends
}  // namespace executorch
