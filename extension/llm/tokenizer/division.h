#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <executorch/extension/llm/tokenizer/pre_tokenizer.h>
#include <executorch/extension/llm/tokenizer/regex.h>
#include <executorch/extension/llm/tokenizer/utf8.h>

namespace tokenizers {

/// What becomes of what a text is divided at.
enum class Delimiter { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

/// By its name in a file. @returns false for no such name.
bool read_delimiter(std::string_view name, Delimiter& delimiter);

/// Appends the parts of a text that is divided at matches.
///
/// @param invert What is between the matches is the delimiter.
void divide_at(const Part& part, const std::vector<Range>& matches, Delimiter delimiter,
               bool invert, std::vector<Part>& parts);

/// Each character for which `is_delimiter`, as a match.
template <typename Predicate>
std::vector<Range> characters_that(std::string_view text, const Predicate& is_delimiter) {
  std::vector<Range> matches;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (is_delimiter(next_character(text, at))) {
      matches.push_back({begin, at});
    }
  }
  return matches;
}

}  // namespace tokenizers
