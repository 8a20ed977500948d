#include <executorch/extension/llm/tokenizer/charsmap.h>
#include <executorch/extension/llm/tokenizer/unicode.h>
#include <executorch/extension/llm/tokenizer/utf8.h>

namespace tokenizers {
namespace {

uint32_t little_endian(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

/// The fields of a unit of the double array.
bool has_leaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t value_of(uint32_t unit) { return unit & 0x7fffffffu; }
uint32_t label_of(uint32_t unit) { return unit & 0x800000ffu; }
uint32_t offset_of(uint32_t unit) { return (unit >> 10) << ((unit & 0x200u) >> 6); }

}  // namespace

bool Charsmap::load(std::string_view bytes) {
  units_.clear();
  texts_.clear();
  if (bytes.size() < 4) {
    return bytes.empty();
  }
  const size_t size = little_endian(bytes, 0);
  if (size % 4 != 0 || size == 0 || size > bytes.size() - 4) {
    return false;
  }
  for (size_t at = 4; at < 4 + size; at += 4) {
    units_.push_back(little_endian(bytes, at));
  }
  texts_ = bytes.substr(4 + size);
  return true;
}

size_t Charsmap::find(std::string_view text, bool longest, std::string_view& replacement) const {
  size_t length = 0;
  if (units_.empty()) {
    return 0;
  }
  uint32_t node = offset_of(units_[0]);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    node ^= byte;
    if (byte == 0 || node >= units_.size() || label_of(units_[node]) != byte) {
      break;
    }
    const uint32_t unit = units_[node];
    node ^= offset_of(unit);
    if (!has_leaf(unit)) {
      continue;
    }
    const uint32_t value = node < units_.size() ? value_of(units_[node]) : UINT32_MAX;
    if (value >= texts_.size()) {
      break;
    }
    const size_t end = texts_.find('\0', value);
    replacement = std::string_view(texts_).substr(
        value, end == std::string::npos ? std::string::npos : end - value);
    length = i + 1;
    if (!longest) {
      break;
    }
  }
  return length;
}

std::string Charsmap::replace_longest(std::string_view text) const {
  std::string replaced;
  for (size_t at = 0; at < text.size();) {
    std::string_view replacement;
    size_t length = find(text.substr(at), true, replacement);
    if (length == 0) {
      size_t end = at;
      next_character(text, end);
      length = end - at;
      replacement = text.substr(at, length);
    }
    replaced += replacement;
    at += length;
  }
  return replaced;
}

std::string Charsmap::replace_graphemes(std::string_view text) const {
  constexpr size_t kLongest = 6;
  std::string replaced;
  for (size_t at = 0; at < text.size();) {
    const size_t end = grapheme_end(text, at);
    std::string_view replacement;
    if (end - at < kLongest && find(text.substr(at, end - at), false, replacement) > 0) {
      replaced += replacement;
      at = end;
    }
    while (at < end) {
      const size_t begin = at;
      next_character(text, at);
      const std::string_view character = text.substr(begin, at - begin);
      replaced += find(character, false, replacement) > 0 ? replacement : character;
    }
  }
  return replaced;
}

}  // namespace tokenizers
