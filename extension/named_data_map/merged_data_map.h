#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tensor_layout.h>

/// The namespace inside executorch::extension in which the documents have MergedDataMap as well.
#define ET_MERGED_DATA_MAP_NAMESPACE merged_data_map

namespace executorch {
namespace extension {

/// Several named data maps seen as one, for example a foundation model's weights and an adapter's.
class MergedDataMap final : public runtime::NamedDataMap {
 public:
  /// Merges `maps`, which have to outlive the result. Keys are numbered map by map, in the order
  /// given. Null pointers are passed over.
  ///
  /// InvalidArgument when there is no map, or two have a key in common (an empty map is fine).
  static runtime::Result<MergedDataMap> load(runtime::Span<const runtime::NamedDataMap*> maps) {
    return merge({maps.data(), maps.size()});
  }

  /// As above: `load({&first, &second})`.
  static runtime::Result<MergedDataMap> load(
      std::initializer_list<const runtime::NamedDataMap*> maps) {
    return merge({maps.begin(), maps.size()});
  }

  /// As above, for vectors and arrays of which the pointers are constant. A template, because a
  /// list in braces could become either kind of span.
  template <typename Maps,
            typename = std::enable_if_t<std::is_convertible<
                const Maps&, runtime::Span<const runtime::NamedDataMap* const>>::value>>
  static runtime::Result<MergedDataMap> load(const Maps& maps) {
    return merge(maps);
  }

  [[nodiscard]] runtime::Result<const runtime::TensorLayout> get_tensor_layout(
      executorch::aten::string_view key) const override;

  [[nodiscard]] runtime::Result<runtime::FreeableBuffer> get_data(
      executorch::aten::string_view key) const override;

  [[nodiscard]] runtime::Error load_data_into(executorch::aten::string_view key, void* buffer,
                                              size_t size) const override;

  [[nodiscard]] runtime::Result<uint32_t> get_num_keys() const override;

  [[nodiscard]] runtime::Result<const char*> get_key(uint32_t index) const override;

  MergedDataMap(MergedDataMap&&) noexcept = default;
  MergedDataMap& operator=(MergedDataMap&&) = delete;
  MergedDataMap(const MergedDataMap&) = delete;
  MergedDataMap& operator=(const MergedDataMap&) = delete;
  ~MergedDataMap() override = default;

 private:
  struct Entry {
    const runtime::NamedDataMap* map;
    const char* key;  // Owned by the map.
  };

  MergedDataMap(std::vector<Entry> entries, std::unordered_map<std::string, uint32_t> index_of)
      : entries_(std::move(entries)), index_of_(std::move(index_of)) {}

  static runtime::Result<MergedDataMap> merge(
      runtime::Span<const runtime::NamedDataMap* const> maps);

  const runtime::NamedDataMap* find(executorch::aten::string_view key) const;

  std::vector<Entry> entries_;
  std::unordered_map<std::string, uint32_t> index_of_;
};

namespace ET_MERGED_DATA_MAP_NAMESPACE {
using ::executorch::extension::MergedDataMap;
}  // namespace ET_MERGED_DATA_MAP_NAMESPACE
namespace named_data_map {
using ::executorch::extension::MergedDataMap;
}  // namespace named_data_map

}  // namespace extension
}  // namespace executorch
