#include <cstddef>
#include <cstdint>

#include <executorch/extension/android/jni/text.h>

namespace executorch {
namespace extension {
namespace jni {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

void append_utf8(char32_t point, std::string& text) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0 | (point >> 6));
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0 | (point >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | (point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// The code point at `position`, which moves behind it; U+FFFD, one byte on, if there is none.
char32_t next_point(std::string_view text, size_t& position) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(position);
  size_t length = 1;
  char32_t point = first;
  char32_t least = 0;
  if (first >= 0xF0 && first < 0xF5) {
    length = 4;
    point = first & 0x07u;
    least = 0x10000;
  } else if (first >= 0xE0 && first < 0xF0) {
    length = 3;
    point = first & 0x0Fu;
    least = 0x800;
  } else if (first >= 0xC2 && first < 0xE0) {
    length = 2;
    point = first & 0x1Fu;
    least = 0x80;
  } else if (first >= 0x80) {
    ++position;
    return kReplacement;
  }
  bool valid = length <= text.size() - position;
  for (size_t i = 1; valid && i < length; ++i) {
    valid = (byte(position + i) & 0xC0u) == 0x80;
    point = (point << 6) | (byte(position + i) & 0x3Fu);
  }
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  if (!valid || point < least || point > 0x10FFFF || surrogate) {
    ++position;
    return kReplacement;
  }
  position += length;
  return point;
}

}  // namespace

std::string to_utf8(std::u16string_view text) {
  std::string made;
  for (size_t i = 0; i < text.size(); ++i) {
    const char32_t unit = text[i];
    if (unit < 0xD800 || unit > 0xDFFF) {
      append_utf8(unit, made);
      continue;
    }
    const bool pair =
        unit < 0xDC00 && i + 1 < text.size() && text[i + 1] >= 0xDC00 && text[i + 1] <= 0xDFFF;
    append_utf8(pair ? 0x10000 + ((unit - 0xD800) << 10) + (text[i + 1] - 0xDC00) : kReplacement,
                made);
    i += pair ? 1 : 0;
  }
  return made;
}

std::u16string to_utf16(std::string_view text) {
  std::u16string made;
  for (size_t i = 0; i < text.size();) {
    const char32_t point = next_point(text, i);
    if (point < 0x10000) {
      made += static_cast<char16_t>(point);
    } else {
      made += static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10));
      made += static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF));
    }
  }
  return made;
}

size_t whole_characters(std::string_view text) {
  for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<uint8_t>(text[text.size() - back]);
    if (byte >= 0xC0) {
      const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
      return length > back ? text.size() - back : text.size();
    }
    if (byte < 0x80) {
      break;
    }
  }
  return text.size();
}

void WholeCharacters::take(const std::string& piece) {
  pending_ += piece;
  const size_t whole = whole_characters(pending_);
  if (whole > 0) {
    tell_(pending_.substr(0, whole));
    pending_.erase(0, whole);
  }
}

void WholeCharacters::finish() {
  if (!pending_.empty()) {
    tell_(std::exchange(pending_, {}));
  }
}

}  // namespace jni
}  // namespace extension
}  // namespace executorch
