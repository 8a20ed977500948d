#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <executorch/extension/flat_tensor/serialize/flat_tensor_header.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tensor_layout.h>

namespace flat_tensor_flatbuffer {
struct FlatTensor;
struct NamedData;
}  // namespace flat_tensor_flatbuffer

namespace executorch {
namespace extension {

/// The named data of a `.ptd` file: weights, or blobs of a backend, outside the program.
///
/// Everything the file says about itself is checked once, in load(); looking up a key costs a
/// binary search, and data is fetched through the loader when it is asked for.
class FlatTensorDataMap final : public runtime::NamedDataMap {
 public:
  /// Highest version of the schema that is read.
  static constexpr uint32_t kMaxSupportedSchemaVersion = 0;

  /// Reads the table of contents. `loader` has to outlive the map and all data fetched through it.
  ///
  /// InvalidExternalData when the file is not a sound `.ptd` (foreign, truncated, segments outside
  /// the file, duplicate keys, layouts that do not fit their data); otherwise what the loader says.
  static runtime::Result<FlatTensorDataMap> load(runtime::DataLoader* loader);

  /// The dtype, sizes and dim order of a tensor. NotFound for an unknown key or a blob without
  /// layout.
  [[nodiscard]] runtime::Result<const runtime::TensorLayout> get_tensor_layout(
      executorch::aten::string_view key) const override;

  /// The bytes behind a key. NotFound for an unknown key; otherwise what the loader says.
  [[nodiscard]] runtime::Result<runtime::FreeableBuffer> get_data(
      executorch::aten::string_view key) const override;

  /// Copies the first `size` bytes behind a key into `buffer`. NotFound for an unknown key,
  /// InvalidArgument when there are fewer bytes.
  [[nodiscard]] runtime::Error load_data_into(executorch::aten::string_view key, void* buffer,
                                              size_t size) const override;

  [[nodiscard]] runtime::Result<uint32_t> get_num_keys() const override;

  /// The key at `index`, in the order of the file. InvalidArgument when there is none.
  [[nodiscard]] runtime::Result<const char*> get_key(uint32_t index) const override;

  FlatTensorDataMap(FlatTensorDataMap&&) noexcept = default;
  FlatTensorDataMap(const FlatTensorDataMap&) = delete;
  FlatTensorDataMap& operator=(const FlatTensorDataMap&) = delete;
  FlatTensorDataMap& operator=(FlatTensorDataMap&&) = delete;
  ~FlatTensorDataMap() override = default;

 private:
  FlatTensorDataMap(const FlatTensorHeader& header, runtime::FreeableBuffer&& contents,
                    const flat_tensor_flatbuffer::FlatTensor* table, runtime::DataLoader* loader,
                    std::vector<uint32_t> by_key)
      : header_(header),
        contents_(std::move(contents)),
        table_(table),
        loader_(loader),
        by_key_(std::move(by_key)) {}

  runtime::Result<const flat_tensor_flatbuffer::NamedData*> find(
      executorch::aten::string_view key) const;

  FlatTensorHeader header_;
  runtime::FreeableBuffer contents_;  // The bytes that table_ points into.
  const flat_tensor_flatbuffer::FlatTensor* table_;
  runtime::DataLoader* loader_;
  std::vector<uint32_t> by_key_;  // Indices of named data, sorted by key.
};

}  // namespace extension
}  // namespace executorch
