#include <algorithm>
#include <bitset>
#include <functional>
#include <optional>

#include <executorch/extension/llm/sampler/pattern.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using runtime::Error;
using runtime::Result;

namespace {

/// Nodes of an automaton, at most; and how deep groups lie in groups.
constexpr size_t kMostNodes = 200000;
constexpr int kDeepest = 100;
/// Times that something is repeated.
constexpr int32_t kMostTimes = 10000;

using Ascii = std::bitset<128>;

Ascii range(int first, int last) {
  Ascii set;
  for (int c = first; c <= last; ++c) {
    set.set(static_cast<size_t>(c));
  }
  return set;
}

Ascii digits() { return range('0', '9'); }
Ascii word() { return digits() | range('a', 'z') | range('A', 'Z') | range('_', '_'); }
Ascii space() { return range('\t', '\r') | range(' ', ' '); }

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

/// From the expression to nodes. Each part is built in front of what comes behind it: its function
/// gets the node there, and gives the one at which the part begins.
class PatternParser {
 public:
  /// Builds a part in front of a node.
  using Part = std::function<int32_t(int32_t)>;

  PatternParser(const std::string& text, Pattern& pattern) : text_(text), pattern_(pattern) {}

  /// The node at which the whole begins.
  std::optional<int32_t> parse() {
    at_ = !text_.empty() && text_[0] == '^' ? 1 : 0;
    const Part whole = alternatives(0);
    if (error_ == nullptr && at_ < text_.size()) {
      error_ = "a group ends that did not begin";
    }
    if (error_ == nullptr) {
      const int32_t first = whole(Pattern::kEnd);
      if (error_ == nullptr) {
        return first;
      }
    }
    ET_LOG(Error, "The pattern %s cannot be used: at %zu, %s", text_.c_str(), at_, error_);
    return std::nullopt;
  }

 private:
  int32_t node(uint8_t low, uint8_t high, int32_t next) {
    if (pattern_.nodes_.size() + pattern_.forks_.size() >= kMostNodes) {
      error_ = "it is too large";
      return Pattern::kEnd;
    }
    pattern_.nodes_.push_back({low, high, next});
    return static_cast<int32_t>(pattern_.nodes_.size()) - 1;
  }

  int32_t fork(int32_t one, int32_t other) {
    if (pattern_.nodes_.size() + pattern_.forks_.size() >= kMostNodes) {
      error_ = "it is too large";
      return Pattern::kEnd;
    }
    pattern_.forks_.push_back({one, other});
    return Pattern::kFirstFork + static_cast<int32_t>(pattern_.forks_.size()) - 1;
  }

  Part fail(const char* error) {
    error_ = error_ == nullptr ? error : error_;
    return [](int32_t next) { return next; };
  }

  bool ends() const {
    return at_ >= text_.size() || text_[at_] == '|' || text_[at_] == ')' ||
           (text_[at_] == '$' && at_ + 1 == text_.size());
  }

  Part alternatives(int depth) {
    if (depth > kDeepest) {
      return fail("groups are too deep");
    }
    Part first = sequence(depth);
    if (at_ >= text_.size() || text_[at_] != '|' || error_ != nullptr) {
      return first;
    }
    std::vector<Part> all = {std::move(first)};
    while (at_ < text_.size() && text_[at_] == '|' && error_ == nullptr) {
      ++at_;
      all.push_back(sequence(depth));
    }
    return [this, all](int32_t next) {
      int32_t made = all.back()(next);
      for (size_t i = all.size() - 1; i-- > 0;) {
        made = fork(all[i](next), made);
      }
      return made;
    };
  }

  Part sequence(int depth) {
    std::vector<Part> parts;
    while (!ends() && error_ == nullptr) {
      parts.push_back(repeated(one(depth)));
    }
    if (at_ + 1 == text_.size() && text_[at_] == '$') {
      ++at_;
    }
    return [parts](int32_t next) {
      for (size_t i = parts.size(); i-- > 0;) {
        next = parts[i](next);
      }
      return next;
    };
  }

  /// A character, a class or a group.
  Part one(int depth) {
    const char c = text_[at_++];
    switch (c) {
      case '(': {
        if (text_.compare(at_, 2, "?:") == 0) {
          at_ += 2;
        } else if (at_ < text_.size() && text_[at_] == '?') {
          return fail("groups are ( or (?: here");
        }
        Part inner = alternatives(depth + 1);
        if (at_ >= text_.size() || text_[at_] != ')') {
          return fail("a group does not end");
        }
        ++at_;
        return inner;
      }
      case '[':
        return bracket();
      case '.':
        return set(~range('\n', '\n'), true);
      case '\\':
        return escape();
      case '*':
      case '+':
      case '?':
      case '{':
        return fail("there is nothing to repeat");
      case '^':
      case '$':
        return fail("^ and $ stand at the ends only");
      default:
        --at_;
        return bytes(character());
    }
  }

  /// The bytes of the character here.
  std::string character() {
    const auto first = static_cast<uint8_t>(text_[at_]);
    size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    size = std::min(size, text_.size() - at_);
    const std::string found = text_.substr(at_, size);
    at_ += size;
    return found;
  }

  Part bytes(std::string text) {
    return [this, text](int32_t next) {
      for (size_t i = text.size(); i-- > 0;) {
        const auto byte = static_cast<uint8_t>(text[i]);
        next = node(byte, byte, next);
      }
      return next;
    };
  }

  /// Any of some characters of ASCII; with `others`, all beyond it as well.
  Part set(const Ascii& ascii, bool others, std::vector<std::string> more = {}) {
    return [this, ascii, others, more](int32_t next) {
      std::vector<int32_t> ways;
      for (int c = 0; c < 128; ++c) {
        const int first = c;
        while (c < 128 && ascii[static_cast<size_t>(c)]) {
          ++c;
        }
        if (c > first) {
          ways.push_back(node(static_cast<uint8_t>(first), static_cast<uint8_t>(c - 1), next));
        }
      }
      for (const std::string& one : more) {
        ways.push_back(bytes(one)(next));
      }
      if (others) {
        const int32_t last = node(0x80, 0xBF, next);
        const int32_t last_two = node(0x80, 0xBF, last);
        ways.insert(ways.end(),
                    {node(0xC2, 0xDF, last), node(0xE0, 0xE0, node(0xA0, 0xBF, last)),
                     node(0xE1, 0xEC, last_two), node(0xED, 0xED, node(0x80, 0x9F, last)),
                     node(0xEE, 0xEF, last_two), node(0xF0, 0xF0, node(0x90, 0xBF, last_two)),
                     node(0xF1, 0xF3, node(0x80, 0xBF, last_two)),
                     node(0xF4, 0xF4, node(0x80, 0x8F, last_two))});
      }
      int32_t made = ways.back();
      for (size_t i = ways.size() - 1; i-- > 0;) {
        made = fork(ways[i], made);
      }
      return made;
    };
  }

  /// What stands behind a backslash: a class, or one character.
  bool escaped(Ascii& ascii, bool& others) {
    if (at_ >= text_.size()) {
      fail("it ends with a backslash");
      return false;
    }
    const char c = text_[at_++];
    others = c == 'D' || c == 'W' || c == 'S';
    switch (c) {
      case 'd':
      case 'D':
        ascii = digits();
        break;
      case 'w':
      case 'W':
        ascii = word();
        break;
      case 's':
      case 'S':
        ascii = space();
        break;
      default: {
        const int code = escaped_code(c);
        if (code < 0 || code > 127) {
          fail("this escape is not known");
          return false;
        }
        ascii = range(code, code);
      }
    }
    ascii = others ? ~ascii : ascii;
    return true;
  }

  int escaped_code(char c) {
    static constexpr char kNames[] = "nrtfv";
    static constexpr char kCodes[] = "\n\r\t\f\v";
    for (size_t i = 0; kNames[i] != '\0'; ++i) {
      if (c == kNames[i]) {
        return kCodes[i];
      }
    }
    if (c == 'x' && at_ + 2 <= text_.size()) {
      const int high = hexadecimal(text_[at_]);
      const int low = hexadecimal(text_[at_ + 1]);
      at_ += 2;
      return high < 0 || low < 0 ? -1 : high * 16 + low;
    }
    const bool is_sign = c > 0 && !word()[static_cast<size_t>(c)];
    return is_sign ? c : -1;
  }

  Part escape() {
    Ascii ascii;
    bool others = false;
    return escaped(ascii, others) ? set(ascii, others) : fail("this escape is not known");
  }

  Part bracket() {
    const bool is_not = at_ < text_.size() && text_[at_] == '^';
    at_ += is_not ? 1 : 0;
    Ascii ascii;
    bool others = false;
    std::vector<std::string> more;
    for (bool first = true; error_ == nullptr; first = false) {
      if (at_ >= text_.size()) {
        return fail("a bracket does not end");
      }
      if (text_[at_] == ']' && !first) {
        ++at_;
        break;
      }
      if (static_cast<uint8_t>(text_[at_]) >= 0x80) {
        more.push_back(character());
        continue;
      }
      Ascii part;
      bool part_others = false;
      if (!bracket_item(part, part_others)) {
        return fail("this escape is not known");
      }
      ascii |= part;
      others = others || part_others;
    }
    if (is_not && !more.empty()) {
      return fail("only ASCII can be excluded");
    }
    ascii = is_not ? ~ascii : ascii;
    others = is_not ? !others : others;
    return ascii.none() && !others && more.empty() ? fail("a bracket has no characters")
                                                   : set(ascii, others, std::move(more));
  }

  /// A class, a character or a range of them.
  bool bracket_item(Ascii& set, bool& others) {
    const auto end_of = [&](Ascii& end) {
      if (text_[at_] == '\\') {
        ++at_;
        return escaped(end, others);
      }
      const auto c = static_cast<uint8_t>(text_[at_++]);
      if (c >= 0x80) {
        fail("ranges are of ASCII");
        return false;
      }
      end = range(c, c);
      return true;
    };
    if (!end_of(set)) {
      return false;
    }
    const bool is_range =
        set.count() == 1 && at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']';
    if (!is_range) {
      return true;
    }
    ++at_;
    Ascii last;
    if (!end_of(last)) {
      return false;
    }
    int first_code = 0;
    int last_code = 0;
    for (int c = 0; c < 128; ++c) {
      first_code = set[static_cast<size_t>(c)] ? c : first_code;
      last_code = last[static_cast<size_t>(c)] ? c : last_code;
    }
    if (last.count() != 1 || last_code < first_code) {
      fail("a range ends before it begins");
      return false;
    }
    set = range(first_code, last_code);
    return true;
  }

  bool number(int32_t& value) {
    const size_t begin = at_;
    value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && value <= kMostTimes) {
      value = value * 10 + (text_[at_++] - '0');
    }
    return at_ > begin;
  }

  /// A part as often as what stands behind it says.
  Part repeated(Part part) {
    while (at_ < text_.size() && error_ == nullptr) {
      int32_t least = 0;
      int32_t most = -1;
      const char c = text_[at_];
      if (c == '{') {
        ++at_;
        if (!number(least)) {
          return fail("a number is missing");
        }
        most = least;
        if (at_ < text_.size() && text_[at_] == ',') {
          ++at_;
          most = number(most) ? most : -1;
        }
        if (at_ >= text_.size() || text_[at_] != '}' || least > kMostTimes || most > kMostTimes ||
            (most >= 0 && most < least)) {
          return fail("a number of times is wrong");
        }
      } else if (c == '*' || c == '+' || c == '?') {
        least = c == '+' ? 1 : 0;
        most = c == '?' ? 1 : -1;
      } else {
        break;
      }
      ++at_;
      part = times(std::move(part), least, most);
    }
    return part;
  }

  Part times(Part part, int32_t least, int32_t most) {
    return [this, part, least, most](int32_t next) {
      int32_t made = next;
      if (most < 0) {
        // The fork is there before the part that goes back to it.
        const int32_t again = fork(next, next);
        if (error_ != nullptr) {
          return next;
        }
        pattern_.forks_[static_cast<size_t>(again - Pattern::kFirstFork)].one = part(again);
        made = again;
      }
      for (int32_t i = least; i < most && error_ == nullptr; ++i) {
        made = fork(part(made), next);
      }
      for (int32_t i = 0; i < least && error_ == nullptr; ++i) {
        made = part(made);
      }
      return made;
    };
  }

  const std::string& text_;
  Pattern& pattern_;
  size_t at_ = 0;
  const char* error_ = nullptr;
};

Result<Pattern> Pattern::compile(const std::string& expression) {
  Pattern pattern;
  const std::optional<int32_t> first = PatternParser(expression, pattern).parse();
  if (!first) {
    return Error::InvalidArgument;
  }
  std::vector<int32_t> nodes;
  std::vector<bool> seen(pattern.forks_.size());
  bool matches = false;
  pattern.reach(*first, nodes, seen, matches);
  pattern.state_of(std::move(nodes), matches);
  return pattern;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
