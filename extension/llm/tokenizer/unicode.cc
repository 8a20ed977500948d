#include <array>
#include <vector>

#include <utf8proc.h>

#include <executorch/extension/llm/tokenizer/unicode.h>
#include <executorch/extension/llm/tokenizer/utf8.h>

namespace tokenizers {
namespace {

utf8proc_category_t category(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character));
}

/// The printable bytes of Latin-1 stand for themselves, the others for the characters from 256 on.
struct ByteAlphabet {
  std::array<std::string, 256> characters;
  std::array<int, 512> bytes;

  ByteAlphabet() {
    bytes.fill(-1);
    char32_t next = 256;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const bool itself = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad);
      const char32_t character = itself ? byte : next++;
      append_character(character, characters[byte]);
      bytes[character] = static_cast<int>(byte);
    }
  }
};

const ByteAlphabet& alphabet() {
  static const ByteAlphabet instance;
  return instance;
}

}  // namespace

bool is_punctuation(char32_t character) {
  if (character < 0x80) {
    return character > 0x20 && character < 0x7f && !(character >= '0' && character <= '9') &&
           !((character | 0x20) >= 'a' && (character | 0x20) <= 'z');
  }
  const auto of = category(character);
  return of >= UTF8PROC_CATEGORY_PC && of <= UTF8PROC_CATEGORY_PO;
}

bool is_number(char32_t character) {
  const auto of = category(character);
  return of >= UTF8PROC_CATEGORY_ND && of <= UTF8PROC_CATEGORY_NO;
}

bool is_other(char32_t character) {
  const auto of = category(character);
  return of == UTF8PROC_CATEGORY_CN || of >= UTF8PROC_CATEGORY_CC;
}

bool is_mark(char32_t character) {
  const auto of = category(character);
  return of >= UTF8PROC_CATEGORY_MN && of <= UTF8PROC_CATEGORY_ME;
}

bool is_mark_without_width(char32_t character) {
  return category(character) == UTF8PROC_CATEGORY_MN;
}

std::string normal_form(std::string_view text, NormalForm form) {
  int options = UTF8PROC_STABLE;
  options |=
      form == NormalForm::kC || form == NormalForm::kKC ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  options |= form == NormalForm::kKC || form == NormalForm::kKD ? UTF8PROC_COMPAT : 0;
  const auto chosen = static_cast<utf8proc_option_t>(options);
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  // Room for a character each; the count of what there is if that was not enough.
  std::vector<utf8proc_int32_t> characters(text.size() + 1);
  const auto decompose = [&] {
    return utf8proc_decompose(bytes, static_cast<utf8proc_ssize_t>(text.size()), characters.data(),
                              static_cast<utf8proc_ssize_t>(characters.size() - 1), chosen);
  };
  auto count = decompose();
  if (count > static_cast<utf8proc_ssize_t>(characters.size() - 1)) {
    characters.resize(static_cast<size_t>(count) + 1);
    count = decompose();
  }
  // In place, with a zero behind.
  const auto length = count < 0 ? count : utf8proc_reencode(characters.data(), count, chosen);
  if (length < 0) {
    return std::string(text);  // Only if it is too long: the text is valid.
  }
  return {reinterpret_cast<const char*>(characters.data()), static_cast<size_t>(length)};
}

std::string lower_case(std::string_view text) {
  constexpr char32_t kCapitalIWithDot = 0x130;
  std::string lower;
  lower.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const char32_t character = next_character(text, at);
    if (character == kCapitalIWithDot) {  // The one whose lower case is two characters.
      lower += "i\xcc\x87";
      continue;
    }
    append_character(
        static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(character))), lower);
  }
  return lower;
}

size_t grapheme_end(std::string_view text, size_t at) {
  utf8proc_int32_t state = 0;
  auto previous = static_cast<utf8proc_int32_t>(next_character(text, at));
  while (at < text.size()) {
    size_t behind = at;
    const auto next = static_cast<utf8proc_int32_t>(next_character(text, behind));
    if (utf8proc_grapheme_break_stateful(previous, next, &state)) {
      break;
    }
    at = behind;
    previous = next;
  }
  return at;
}

const std::string& character_of_byte(unsigned char byte) { return alphabet().characters[byte]; }

int byte_of_character(char32_t character) {
  return character < alphabet().bytes.size() ? alphabet().bytes[character] : -1;
}

}  // namespace tokenizers
