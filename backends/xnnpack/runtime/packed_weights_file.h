#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <executorch/backends/xnnpack/runtime/packed_weights.h>
#include <executorch/runtime/core/error.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// A file of packed weights. Not for several threads at once.
class PackedFile {
 public:
  explicit PackedFile(std::string path) : path_(std::move(path)) {}

  /// Maps the file and reads it once, to check every byte. What cannot be used is left out, with a
  /// word in the log: a file of another version or processor altogether, one that another user owns
  /// or could have written, or a link; a damaged one up to the damage. No file is no weights.
  std::map<PackedKey, std::shared_ptr<const Packed>> load();

  /// Appends to the file, which is made or, if it is of another kind or damaged, replaced.
  /// Processes that write at the same time wait for each other, and mappings of a file that was
  /// replaced stay valid. Of what is there, only what others have appended since is read.
  ///
  /// @retval Error::AccessFailed The file cannot be written, or others could; the log says why.
  /// @retval Error::NotSupported This platform has no files to map.
  runtime::Error append(
      const std::vector<std::pair<PackedKey, std::shared_ptr<const Packed>>>& packed);

 private:
  /// The part of a file that this process has read and found whole, or has written.
  struct Checked {
    uint64_t device = 0;
    uint64_t inode = 0;
    size_t end = 0;
    std::set<PackedKey> keys;
  };
  class Alone;

  const std::string path_;
  Checked checked_;
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
