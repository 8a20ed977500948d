#include <cstring>

#include <executorch/runtime/executor/merged_data_map.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {
namespace {

// A set of texts that may answer "perhaps" for one that is not in it. Comparing the keys of two
// maps pair by pair would take time proportional to the product of their sizes.
class MaybeSet {
 public:
  void insert(const char* text) {
    const uint32_t bit = hash(text);
    bits_[bit / 8] = static_cast<uint8_t>(bits_[bit / 8] | 1u << (bit % 8));
  }

  bool may_contain(const char* text) const {
    const uint32_t bit = hash(text);
    return (bits_[bit / 8] >> (bit % 8) & 1u) != 0;
  }

 private:
  static constexpr uint32_t kNumBits = 8192;

  static uint32_t hash(const char* text) {
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; ++text) {
      hash = (hash ^ static_cast<uint8_t>(*text)) * 16777619u;
    }
    return (hash ^ (hash >> 16)) % kNumBits;
  }

  uint8_t bits_[kNumBits / 8] = {};
};

Result<bool> has_key(const NamedDataMap* map, uint32_t num_keys, const char* key) {
  for (uint32_t i = 0; i < num_keys; ++i) {
    Result<const char*> other = map->get_key(i);
    if (!other.ok()) {
      return other.error();
    }
    if (std::strcmp(*other, key) == 0) {
      return true;
    }
  }
  return false;
}

Error check_no_common_key(const NamedDataMap* first, uint32_t first_num_keys,
                          const NamedDataMap* second, uint32_t second_num_keys) {
  MaybeSet first_keys;
  for (uint32_t i = 0; i < first_num_keys; ++i) {
    Result<const char*> key = first->get_key(i);
    ET_CHECK_OK_OR_RETURN_ERROR(key.error());
    first_keys.insert(*key);
  }
  for (uint32_t i = 0; i < second_num_keys; ++i) {
    Result<const char*> key = second->get_key(i);
    ET_CHECK_OK_OR_RETURN_ERROR(key.error());
    if (!first_keys.may_contain(*key)) {
      continue;
    }
    Result<bool> common = has_key(first, first_num_keys, *key);
    ET_CHECK_OK_OR_RETURN_ERROR(common.error());
    ET_CHECK_OR_RETURN_ERROR(!*common, InvalidArgument,
                             "Key %s is in the program's own data and in the external data", *key);
  }
  return Error::Ok;
}

// Whether a map says that it cannot serve a key, so that the other one should be asked.
bool passes(Error error) { return error == Error::NotFound || error == Error::NotImplemented; }

}  // namespace

/* static */ Result<MergedDataMap> MergedDataMap::load(const NamedDataMap* first,
                                                       const NamedDataMap* second) {
  ET_CHECK_OR_RETURN_ERROR(first != nullptr && second != nullptr, InvalidArgument,
                           "Merging data maps takes two of them");
  Result<uint32_t> first_num_keys = first->get_num_keys();
  if (!first_num_keys.ok()) {
    return first_num_keys.error();
  }
  Result<uint32_t> second_num_keys = second->get_num_keys();
  if (!second_num_keys.ok()) {
    return second_num_keys.error();
  }
  const Error error = check_no_common_key(first, *first_num_keys, second, *second_num_keys);
  if (error != Error::Ok) {
    return error;
  }
  return MergedDataMap(first, second, *first_num_keys, *second_num_keys);
}

Result<const TensorLayout> MergedDataMap::find_layout(std::string_view key) const {
  Result<const TensorLayout> layout = first_->get_tensor_layout(key);
  if (layout.ok() || !passes(layout.error())) {
    return layout;
  }
  Result<const TensorLayout> second_layout = second_->get_tensor_layout(key);
  // "It is in the first map, which has no layouts" says more than "it is not in the second".
  if (!second_layout.ok() && layout.error() == Error::NotImplemented) {
    return layout.error();
  }
  return second_layout;
}

Result<FreeableBuffer> MergedDataMap::load(std::string_view key) const {
  Result<FreeableBuffer> data = first_->get_data(key);
  if (data.ok() || !passes(data.error())) {
    return data;
  }
  return second_->get_data(key);
}

Error MergedDataMap::load_into(std::string_view key, void* buffer, size_t size) const {
  const Error error = first_->load_data_into(key, buffer, size);
  return passes(error) ? second_->load_data_into(key, buffer, size) : error;
}

Result<const char*> MergedDataMap::key_at(uint32_t index) const {
  if (index < first_num_keys_) {
    return first_->get_key(index);
  }
  ET_CHECK_OR_RETURN_ERROR(index - first_num_keys_ < second_num_keys_, InvalidArgument,
                           "There is no key %u, there are %u", static_cast<unsigned>(index),
                           static_cast<unsigned>(first_num_keys_ + second_num_keys_));
  return second_->get_key(index - first_num_keys_);
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
