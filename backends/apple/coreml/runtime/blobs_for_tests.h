/// @file
/// Rows of bytes as `compiler/package.py` writes directories, for tests.
#pragma once

#include <algorithm>
#include <string>

namespace executorch {
namespace backends {
namespace coreml {

/// A row of the table.
inline std::string file_row(const std::string& name, size_t offset, size_t size) {
  return "{\"children\":{},\"dataRegion\":{\"offset\":" + std::to_string(offset) +
         ",\"size\":" + std::to_string(size) + "},\"kind\":0,\"name\":\"" + name + "\"}";
}

inline std::string directory_row(const std::string& name, const std::string& children) {
  return "{\"children\":{" + children +
         "},\"dataRegion\":{\"offset\":0,\"size\":0},\"kind\":1,\"name\":\"" + name + "\"}";
}

/// Bytes of files, then the table with these rows, backwards.
inline std::string blob_of(const std::string& bytes, const std::string& rows) {
  std::string table = "{\"nodes\":[" + rows + "]}";
  std::reverse(table.begin(), table.end());
  return bytes + table;
}

/// A directory with a page about a model and a package with one file.
///
/// @param model The file `model.mock.json`, which the stand-in for Core ML reads.
inline std::string blob_of_model(const std::string& metadata, const std::string& model,
                                 const std::string& directory = "model.mlpackage") {
  return blob_of(
      metadata + model,
      file_row("metadata.json", 0, metadata.size()) + "," +
          file_row("model.mock.json", metadata.size(), model.size()) + "," +
          directory_row(directory, "\"model.mock.json\":1") + "," +
          directory_row("lowered_module", "\"metadata.json\":0,\"" + directory + "\":2"));
}

}  // namespace coreml
}  // namespace backends
}  // namespace executorch
