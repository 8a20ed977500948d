/// @file
/// Fields of the JSON of a tokenizer, none of which is trusted.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace tokenizers {

using Json = nlohmann::json;

/// The field of an object; null where there is none, or no object.
inline const Json& field(const Json& object, const char* name) {
  static const Json none;
  if (!object.is_object()) {
    return none;
  }
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

/// Its text; empty where it is none.
inline std::string text_field(const Json& object, const char* name) {
  const auto* const text = field(object, name).get_ptr<const std::string*>();
  return text == nullptr ? std::string() : *text;
}

inline bool flag_field(const Json& object, const char* name, bool otherwise) {
  const auto* const flag = field(object, name).get_ptr<const bool*>();
  return flag == nullptr ? otherwise : *flag;
}

/// A whole number that is not negative.
inline bool count_of(const Json& value, uint64_t& count) {
  const auto* const number = value.get_ptr<const Json::number_unsigned_t*>();
  count = number == nullptr ? 0 : *number;
  return number != nullptr;
}

inline uint64_t count_field(const Json& object, const char* name, uint64_t otherwise) {
  uint64_t count = 0;
  return count_of(field(object, name), count) ? count : otherwise;
}

/// What a part of the file is, by its field "type".
inline std::string type_of(const Json& object) { return text_field(object, "type"); }

/// Sequences in sequences are read to this depth.
constexpr int kDeepest = 16;

}  // namespace tokenizers
