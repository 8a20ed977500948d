#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <executorch/backends/xnnpack/runtime/packed_weights.h>
#include <executorch/runtime/core/error.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// Maps a file of packed weights and reads it once, to check every byte. What cannot be used is
/// left out, with a word in the log: a file of another version or processor altogether, one that
/// another user owns or could have written, or a link; a damaged one up to the damage. No file is
/// no weights.
std::map<PackedKey, std::shared_ptr<const Packed>> load_packed_file(const std::string& path);

/// Appends to the file, which is made or, if it is of another kind or damaged, replaced. Processes
/// that write at the same time wait for each other, and mappings of a file that was replaced stay
/// valid.
///
/// @retval Error::AccessFailed The file cannot be written, or others could; the log says why.
/// @retval Error::NotSupported This platform has no files to map.
runtime::Error append_packed_file(
    const std::string& path,
    const std::vector<std::pair<PackedKey, std::shared_ptr<const Packed>>>& packed);

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
