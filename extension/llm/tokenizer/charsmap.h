#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tokenizers {

/// SentencePiece's compiled table of replacements: a trie of what is replaced, as a double array,
/// and the texts that take its place.
class Charsmap {
 public:
  /// @returns false for bytes that are no such table; then nothing is replaced.
  bool load(std::string_view bytes);

  bool empty() const { return units_.empty(); }

  /// Finds what is replaced at the beginning of `text`: the shortest of it, or the longest.
  ///
  /// @returns How many bytes it has, 0 for nothing.
  size_t find(std::string_view text, bool longest, std::string_view& replacement) const;

  /// As SentencePiece replaces: the longest at each place.
  std::string replace_longest(std::string_view text) const;

  /// As Hugging Face's tokenizers do: whole graphemes of less than six bytes, else characters.
  std::string replace_graphemes(std::string_view text) const;

 private:
  std::vector<uint32_t> units_;
  std::string texts_;
};

}  // namespace tokenizers
