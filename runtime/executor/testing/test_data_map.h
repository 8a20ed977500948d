#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <executorch/runtime/core/named_data_map.h>

namespace executorch {
namespace runtime {
namespace testing {

/// Named tensors and bytes in memory, as the content of a `.ptd` file would be.
class TestDataMap final : public NamedDataMap {
 public:
  /// Adds a float tensor.
  void add(const std::string& key, std::vector<int32_t> sizes, const std::vector<float>& data,
           executorch::aten::ScalarType scalar_type = executorch::aten::ScalarType::Float) {
    std::vector<uint8_t> dim_order;
    for (size_t i = 0; i < sizes.size(); ++i) {
      dim_order.push_back(static_cast<uint8_t>(i));
    }
    std::vector<uint8_t> bytes(data.size() * sizeof(float));
    std::memcpy(bytes.data(), data.data(), bytes.size());
    put({key, std::move(sizes), std::move(dim_order), std::move(bytes), scalar_type});
  }

  /// Adds bytes, or puts them in the place of those of that name.
  void add(const std::string& key, const std::string& bytes) {
    put({key,
         {static_cast<int32_t>(bytes.size())},
         {0},
         std::vector<uint8_t>(bytes.begin(), bytes.end()),
         executorch::aten::ScalarType::Byte});
  }

  /// Gives `bytes` bytes less than there are.
  void cut(size_t bytes) { cut_ = bytes; }

  Result<const TensorLayout> get_tensor_layout(std::string_view key) const override {
    const Entry* entry = find(key);
    if (entry == nullptr) {
      return Error::NotFound;
    }
    return TensorLayout::create({entry->sizes.data(), entry->sizes.size()},
                                {entry->dim_order.data(), entry->dim_order.size()},
                                entry->scalar_type);
  }

  Result<FreeableBuffer> get_data(std::string_view key) const override {
    const Entry* entry = find(key);
    if (entry == nullptr) {
      return Error::NotFound;
    }
    ++num_loaded;
    return FreeableBuffer(
        entry->data.data(), entry->data.size() - cut_,
        [](void* context, void*, size_t) { ++*static_cast<int*>(context); }, &num_freed);
  }

  Error load_data_into(std::string_view key, void* buffer, size_t size) const override {
    const Entry* entry = find(key);
    if (entry == nullptr) {
      return Error::NotFound;
    }
    if (size > entry->data.size()) {
      return Error::InvalidArgument;
    }
    std::memcpy(buffer, entry->data.data(), size);
    return Error::Ok;
  }

  Result<uint32_t> get_num_keys() const override { return static_cast<uint32_t>(entries_.size()); }

  Result<const char*> get_key(uint32_t index) const override {
    if (index >= entries_.size()) {
      return Error::InvalidArgument;
    }
    return entries_[index].key.c_str();
  }

  mutable int num_loaded = 0;
  mutable int num_freed = 0;

 private:
  struct Entry {
    std::string key;
    std::vector<int32_t> sizes;
    std::vector<uint8_t> dim_order;
    std::vector<uint8_t> data;
    executorch::aten::ScalarType scalar_type;
  };

  void put(Entry added) {
    for (Entry& entry : entries_) {
      if (entry.key == added.key) {
        entry = std::move(added);
        return;
      }
    }
    entries_.push_back(std::move(added));
  }

  const Entry* find(std::string_view key) const {
    for (const Entry& entry : entries_) {
      if (entry.key == key) {
        return &entry;
      }
    }
    return nullptr;
  }

  std::deque<Entry> entries_;
  size_t cut_ = 0;
};

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
