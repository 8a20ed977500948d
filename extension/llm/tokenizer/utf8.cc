#include <executorch/extension/llm/tokenizer/utf8.h>

namespace tokenizers {
namespace {

constexpr const char* kReplacement = "\xef\xbf\xbd";

unsigned char byte_at(std::string_view text, size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// What the second byte of a character may be, by the first.
bool may_follow(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xe0:
      return second >= 0xa0 && second <= 0xbf;
    case 0xed:
      return second >= 0x80 && second <= 0x9f;
    case 0xf0:
      return second >= 0x90 && second <= 0xbf;
    case 0xf4:
      return second >= 0x80 && second <= 0x8f;
    default:
      return second >= 0x80 && second <= 0xbf;
  }
}

/// How many bytes at `at` are a character, or the longest part that begins one.
size_t part_at(std::string_view text, size_t at, bool& whole) {
  const unsigned char first = byte_at(text, at);
  const size_t length = first < 0x80                     ? 1
                        : first >= 0xc2 && first <= 0xdf ? 2
                        : first >= 0xe0 && first <= 0xef ? 3
                        : first >= 0xf0 && first <= 0xf4 ? 4
                                                         : 0;
  size_t fit = length == 0 ? 0 : 1;
  while (fit > 0 && fit < length && at + fit < text.size()) {
    const unsigned char next = byte_at(text, at + fit);
    if (fit == 1 ? !may_follow(first, next) : next < 0x80 || next > 0xbf) {
      break;
    }
    ++fit;
  }
  whole = length > 0 && fit == length;
  return fit > 0 ? fit : 1;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    bool whole = false;
    const size_t length = part_at(text, at, whole);
    valid += whole ? text.substr(at, length) : std::string_view(kReplacement);
    at += length;
  }
  return valid;
}

char32_t next_character(std::string_view text, size_t& at) {
  const unsigned char first = byte_at(text, at++);
  int more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  char32_t character = more == 0 ? first : first & (0x3fu >> more);
  for (; more > 0 && at < text.size(); --more) {
    character = character << 6 | (byte_at(text, at++) & 0x3fu);
  }
  return character;
}

void append_character(char32_t character, std::string& text) {
  const auto append = [&text](char32_t bits) { text += static_cast<char>(bits); };
  if (character < 0x80) {
    append(character);
    return;
  }
  const int more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  append((0xff00u >> (more + 1) & 0xffu) | character >> (6 * more));
  for (int left = more - 1; left >= 0; --left) {
    append(0x80u | (character >> (6 * left) & 0x3fu));
  }
}

bool is_space(char32_t character) {
  return (character >= 0x09 && character <= 0x0d) || character == 0x20 || character == 0x85 ||
         character == 0xa0 || character == 0x1680 || (character >= 0x2000 && character <= 0x200a) ||
         character == 0x2028 || character == 0x2029 || character == 0x202f || character == 0x205f ||
         character == 0x3000;
}

}  // namespace tokenizers
