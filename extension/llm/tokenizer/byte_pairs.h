#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tokenizers {

/// A piece of a text: the bytes [begin, end).
struct Piece {
  size_t begin;
  size_t end;
  bool joins;  // Others stay as they are.
};

/// How many bytes the character has that begins with this one; 1 where none begins.
size_t character_length(char first);

/// Joins neighbouring pieces until no two make up one of the vocabulary: those with the best score
/// first, and of equal ones the first.
///
/// @param pieces Neighbours, from the beginning to the end of the text.
/// @param score_of Of a piece of the vocabulary; nothing for others.
std::vector<Piece> join_byte_pairs(
    const std::string& text, const std::vector<Piece>& pieces,
    const std::function<std::optional<float>(const std::string&)>& score_of);

}  // namespace tokenizers
