#pragma once

#include <functional>
#include <string>

#include <executorch/backends/apple/coreml/runtime/blob.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace coreml {

/// Compiled models on disk, so that a device compiles each once.
///
/// A model is called by a digest of the delegate's bytes, its size and the system's version. The
/// digest is fast and not against forgers: an application that loads programs of strangers gives
/// them a directory of their own. What is there counts only if no other user can have put it there
/// (`runtime/backend/private_file.h`); a model is there when its stamp is, which comes last.
class AssetStore {
 public:
  /// Compiles the package at the path; gives the path of what came out, which the store then owns.
  using Compile = std::function<runtime::Result<std::string>(const std::string& package)>;

  /// @param directory Made, for this user alone, when something is stored.
  AssetStore(std::string directory, Compile compile)
      : directory_(std::move(directory)), compile_(std::move(compile)) {}

  /// The path of the compiled model; writes and compiles it where it is not there.
  ///
  /// @retval Error::AccessFailed The directory cannot be written, or others can write it.
  runtime::Result<std::string> compiled(const Blob& blob, const void* data, size_t size) const;

  /// Takes a model out that could not be loaded.
  void remove(const std::string& path) const;

 private:
  runtime::Error make_directory() const;
  runtime::Result<std::string> make(const Blob& blob, const char* data,
                                    const std::string& room) const;
  runtime::Error publish(const std::string& made, const std::string& path) const;

  const std::string directory_;
  const Compile compile_;
};

}  // namespace coreml
}  // namespace backends
}  // namespace executorch
