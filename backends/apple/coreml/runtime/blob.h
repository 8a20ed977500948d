#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace coreml {

/// A file of a delegate's directory: where it goes, and where its bytes lie.
struct BlobFile {
  std::string path;
  size_t offset;
  size_t size;
};

/// What a delegate holds: a directory in a row of bytes (`compiler/package.py` writes it).
struct Blob {
  std::vector<BlobFile> files;
  /// Directories with nothing in them, which a package's list of contents may name.
  std::vector<std::string> directories;
  /// Names of the model's inputs and outputs, in the order of the delegate's arguments.
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  /// Who made the model says what it is called; not trusted with anything but the log.
  std::string identifier;
  /// The directory of the model in the blob: a package that is to be compiled, or what a compiler
  /// made of one.
  std::string model;
  bool is_compiled = false;
  /// Of the model; empty where it has but one.
  std::string function;
};

/// What a delegate holds whose model is that of several methods: the name of data that are the
/// directory, and the function of the model (`compiler/multifunction.py` writes it).
struct Reference {
  std::string key;
  std::string function;
};

/// Whether the bytes begin as a reference.
bool is_reference(const void* data, size_t size);

/// @retval Error::DelegateInvalidCompatibility The bytes are no reference of a known version.
runtime::Result<Reference> read_reference(const void* data, size_t size);

/// Reads the table at the end of the bytes, and the page about the model.
///
/// No byte pattern makes a path that leaves the directory, a file outside of the bytes, or a
/// directory in itself.
///
/// @param function Whose ports are read; empty for a model that has one.
/// @retval Error::DelegateInvalidCompatibility The bytes are no such directory, or the model has no
///     such function.
runtime::Result<Blob> read_blob(const void* data, size_t size, const std::string& function = {});

}  // namespace coreml
}  // namespace backends
}  // namespace executorch
