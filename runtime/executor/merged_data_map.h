#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Two named data maps seen as one: first the data in the program's own file, then what the caller
/// of `load_method` gave.
///
/// Safe to share between threads if both parts are. Refers to them, so both must outlive it.
///
/// All virtual functions are inline: one that is not would tie the class's type information to this
/// library, which is built without any.
class MergedDataMap final : public NamedDataMap {
 public:
  /// @retval Error::InvalidArgument A map is null, or some key is in both.
  /// Errors of the maps come back as they are.
  static Result<MergedDataMap> load(const NamedDataMap* first, const NamedDataMap* second);

  MergedDataMap(MergedDataMap&&) noexcept = default;
  MergedDataMap(const MergedDataMap&) = delete;
  MergedDataMap& operator=(const MergedDataMap&) = delete;
  MergedDataMap& operator=(MergedDataMap&&) = delete;
  ~MergedDataMap() override = default;

  ET_NODISCARD Result<const TensorLayout> get_tensor_layout(std::string_view key) const override {
    return find_layout(key);
  }

  ET_NODISCARD Result<FreeableBuffer> get_data(std::string_view key) const override {
    return load(key);
  }

  ET_NODISCARD Error load_data_into(std::string_view key, void* buffer,
                                    size_t size) const override {
    return load_into(key, buffer, size);
  }

  ET_NODISCARD Result<uint32_t> get_num_keys() const override {
    return first_num_keys_ + second_num_keys_;
  }

  /// The keys of the first map, then those of the second.
  ET_NODISCARD Result<const char*> get_key(uint32_t index) const override { return key_at(index); }

 private:
  MergedDataMap(const NamedDataMap* first, const NamedDataMap* second, uint32_t first_num_keys,
                uint32_t second_num_keys)
      : first_(first),
        second_(second),
        first_num_keys_(first_num_keys),
        second_num_keys_(second_num_keys) {}

  Result<const TensorLayout> find_layout(std::string_view key) const;
  Result<FreeableBuffer> load(std::string_view key) const;
  Error load_into(std::string_view key, void* buffer, size_t size) const;
  Result<const char*> key_at(uint32_t index) const;

  const NamedDataMap* first_;
  const NamedDataMap* second_;
  uint32_t first_num_keys_;
  uint32_t second_num_keys_;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
