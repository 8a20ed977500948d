#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <executorch/runtime/core/error.h>

namespace tokenizers {

/// The bytes [begin, end) of a text.
struct Range {
  size_t begin;
  size_t end;
};

/// A regular expression as the files of tokenizers have them: with Unicode's properties and with
/// lookahead. \s, \w and \d are those of Unicode. Const functions may be called by several threads.
class Regex {
 public:
  /// @returns Null, and the reason in `why`, for a pattern that cannot be compiled.
  static std::unique_ptr<Regex> compile(std::string_view pattern, std::string& why);

  /// One that finds a text as it is.
  static std::unique_ptr<Regex> of_text(std::string_view text, std::string& why);

  ~Regex();

  /// All matches in a valid text, from left to right; none of them overlap.
  ///
  /// @returns InvalidExternalData, after saying so, for a pattern that gives up: one that tries
  /// more
  ///     ways than is bearable.
  [[nodiscard]] executorch::runtime::Error find_all(std::string_view text,
                                                    std::vector<Range>& matches) const;

 private:
  struct Compiled;
  explicit Regex(std::unique_ptr<Compiled> compiled);

  std::unique_ptr<Compiled> compiled_;
};

}  // namespace tokenizers
