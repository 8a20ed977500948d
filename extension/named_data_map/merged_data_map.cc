#include <cinttypes>

#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

using executorch::aten::string_view;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::Span;
using runtime::TensorLayout;

Result<MergedDataMap> MergedDataMap::merge(Span<const NamedDataMap* const> maps) {
  std::vector<Entry> entries;
  std::unordered_map<std::string, uint32_t> index_of;
  size_t num_maps = 0;
  for (const NamedDataMap* map : maps) {
    if (map == nullptr) {
      continue;
    }
    ++num_maps;
    const Result<uint32_t> count = map->get_num_keys();
    if (!count.ok()) {
      return count.error();
    }
    for (uint32_t k = 0; k < *count; ++k) {
      const Result<const char*> key = map->get_key(k);
      if (!key.ok()) {
        return key.error();
      }
      const auto inserted = index_of.emplace(*key, static_cast<uint32_t>(entries.size()));
      if (!inserted.second) {
        ET_LOG(Error, "The key %.120s occurs in more than one named data map", *key);
        return Error::InvalidArgument;
      }
      entries.push_back({map, *key});
    }
  }
  if (num_maps == 0) {
    ET_LOG(Error, "No named data maps to merge");
    return Error::InvalidArgument;
  }
  return MergedDataMap(std::move(entries), std::move(index_of));
}

const NamedDataMap* MergedDataMap::find(string_view key) const {
  const auto position = index_of_.find(std::string(key.data(), key.size()));
  return position == index_of_.end() ? nullptr : entries_[position->second].map;
}

Result<const TensorLayout> MergedDataMap::get_tensor_layout(string_view key) const {
  const NamedDataMap* map = find(key);
  if (map == nullptr) {
    return Error::NotFound;
  }
  return map->get_tensor_layout(key);
}

Result<FreeableBuffer> MergedDataMap::get_data(string_view key) const {
  const NamedDataMap* map = find(key);
  if (map == nullptr) {
    return Error::NotFound;
  }
  return map->get_data(key);
}

Error MergedDataMap::load_data_into(string_view key, void* buffer, size_t size) const {
  const NamedDataMap* map = find(key);
  if (map == nullptr) {
    return Error::NotFound;
  }
  return map->load_data_into(key, buffer, size);
}

Result<uint32_t> MergedDataMap::get_num_keys() const {
  return static_cast<uint32_t>(entries_.size());
}

Result<const char*> MergedDataMap::get_key(uint32_t index) const {
  if (index >= entries_.size()) {
    ET_LOG(Error, "Key %" PRIu32 " of %zu", index, entries_.size());
    return Error::InvalidArgument;
  }
  return entries_[index].key;
}

}  // namespace extension
}  // namespace executorch
