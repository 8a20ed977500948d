/// @file
/// What Unicode says of characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tokenizers {

/// Whether it is of a punctuation category, or punctuation of ASCII, where that has more.
bool is_punctuation(char32_t character);

/// Whether it is of a number category.
bool is_number(char32_t character);

/// Whether it is a control, format, private or unassigned character.
bool is_other(char32_t character);

/// Whether it is a mark, or one without a width of its own.
bool is_mark(char32_t character);
bool is_mark_without_width(char32_t character);

enum class NormalForm { kC, kD, kKC, kKD };

std::string normal_form(std::string_view text, NormalForm form);

/// In lower case, character by character.
std::string lower_case(std::string_view text);

/// Where the grapheme that begins at `at` ends.
size_t grapheme_end(std::string_view text, size_t at);

/// The character that stands for a byte in the vocabularies of byte-level tokenizers, in UTF-8.
const std::string& character_of_byte(unsigned char byte);

/// The byte that such a character stands for; -1 for others.
int byte_of_character(char32_t character);

}  // namespace tokenizers
