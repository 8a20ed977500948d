#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

/// A regular expression as an automaton that takes a text byte by byte, and knows before its end
/// whether it can still match as a whole.
///
/// Known are characters, `.` (all but a line's end), `\d \w \s \D \W \S \n \r \t \f \v \xHH` and
/// escaped signs, `[a-z]` and `[^a-z]`, groups, `|`, `* + ? {m} {m,} {m,n}`. `^` at the beginning
/// and
/// `$` at the end are what is done anyway. Text is UTF-8; in brackets, ranges and what is excluded
/// are ASCII.
class Pattern {
 public:
  /// A place in the automaton. Places are found when they are first reached, and stay.
  using State = int32_t;
  static constexpr State kNowhere = -1;

  /// @returns InvalidArgument, after saying what and where, for an expression that is wrong, not
  ///     known here or too large.
  static runtime::Result<Pattern> compile(const std::string& expression);

  State begin() const { return 0; }
  /// Where a byte leads, kNowhere if no text that matches goes on like this.
  State next(State state, uint8_t byte);
  /// Whether the text so far matches.
  bool matches(State state) const { return states_[static_cast<size_t>(state)].matches; }
  /// Whether a longer text can match.
  bool goes_on(State state) const { return !states_[static_cast<size_t>(state)].nodes.empty(); }

 private:
  friend class PatternParser;

  /// Goes on to `next` by a byte from `low` to `high`.
  struct Node {
    uint8_t low;
    uint8_t high;
    int32_t next;
  };
  /// Goes on to both without a byte.
  struct Fork {
    int32_t one;
    int32_t other;
  };
  /// All nodes at which a text may be.
  struct Place {
    std::vector<int32_t> nodes;
    bool matches = false;
    std::array<State, 256> next;
  };

  static constexpr State kUnknown = -2;
  static constexpr int32_t kEnd = -1;

  State state_of(std::vector<int32_t> nodes, bool matches);
  void reach(int32_t node, std::vector<int32_t>& nodes, std::vector<bool>& seen,
             bool& matches) const;

  /// Nodes that take a byte have numbers from 0 on, forks those behind kFirstFork.
  static constexpr int32_t kFirstFork = 1 << 24;
  std::vector<Node> nodes_;
  std::vector<Fork> forks_;
  std::vector<Place> states_;
  std::map<std::pair<std::vector<int32_t>, bool>, State> known_;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
