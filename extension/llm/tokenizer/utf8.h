/// @file
/// Characters of texts in UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tokenizers {

/// The text, with U+FFFD for what is not UTF-8: for each longest part that begins a character.
std::string valid_utf8(std::string_view text);

/// Takes the character that begins at `at`, which moves behind it. For valid text, before its end.
char32_t next_character(std::string_view text, size_t& at);

void append_character(char32_t character, std::string& text);

/// Whether the character has the Unicode property White_Space.
bool is_space(char32_t character);

}  // namespace tokenizers
