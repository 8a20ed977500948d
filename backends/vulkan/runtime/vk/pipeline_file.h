#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <executorch/runtime/core/error.h>

namespace executorch {
namespace backends {
namespace vulkan {

/// What a driver gave out of its cache of pipelines, from a file. Drivers do not check all of it,
/// so the file is read only where no other user can have put it there, and only whole. Everything
/// else is nothing, with a word in the log where the file is there.
///
/// @param made_by Says which device and driver the bytes are for.
std::vector<uint8_t> read_pipelines(const std::string& path, uint64_t made_by);

/// Replaces the file, for this user alone. Others that read it meanwhile see the one or the other.
///
/// @retval Error::AccessFailed It cannot be written, or others could have; the log says why.
runtime::Error write_pipelines(const std::string& path, uint64_t made_by,
                               const std::vector<uint8_t>& pipelines);

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
