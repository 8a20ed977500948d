#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <executorch/extension/pytree/pytree.h>

namespace executorch {
namespace extension {
namespace pytree {
namespace internal {

using runtime::Error;
using runtime::Result;

namespace {

/// No container of a model's inputs or outputs is nested deeper; keeps hostile text off the stack.
constexpr int kMaxDepth = 64;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<TreeSpec<Empty>> whole() {
    TreeSpec<Empty> tree;
    if (!node(tree, 0)) {
      return Error::InvalidArgument;
    }
    if (position_ != text_.size()) {
      wrong("expected the end");
      return Error::InvalidArgument;
    }
    return tree;
  }

 private:
  bool node(TreeSpec<Empty>& tree, int depth) {
    if (depth > kMaxDepth) {
      return wrong("containers are nested too deeply");
    }
    if (accept('$')) {
      return true;
    }
    Kind kind{};
    if (!container_kind(kind)) {
      return wrong("expected $, L, T, N or D");
    }
    uint64_t size = 0;
    if (!number(size)) {
      return wrong("expected the number of children");
    }
    std::vector<uint64_t> leaves;
    for (uint64_t i = 0; i < size; ++i) {
      uint64_t count = 0;
      if (!accept('#') || !number(count)) {
        return wrong("expected # and the number of a child's leaves");
      }
      leaves.push_back(count);
    }
    return accept('(') ? children(tree, kind, leaves, depth) : wrong("expected (");
  }

  bool children(TreeSpec<Empty>& tree, Kind kind, const std::vector<uint64_t>& leaves, int depth) {
    std::vector<TreeSpec<Empty>> made;
    std::vector<Key> keys;
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (i > 0 && !accept(',')) {
        return wrong("expected ,");
      }
      if (kind == Kind::Dict) {
        keys.emplace_back();
        if (!key(keys.back()) || !accept(':')) {
          return wrong("expected a key and :");
        }
      }
      made.emplace_back();
      if (!node(made.back(), depth + 1)) {
        return false;
      }
      if (made.back().leaves_num() != leaves[i]) {
        return wrong("a child has another number of leaves than announced");
      }
    }
    if (!accept(')')) {
      return wrong("expected )");
    }
    tree = TreeSpec<Empty>(kind, std::move(made), std::move(keys));
    return true;
  }

  bool container_kind(Kind& kind) {
    for (const Kind candidate : {Kind::List, Kind::Tuple, Kind::NamedTuple, Kind::Dict}) {
      if (accept(kind_letter(candidate))) {
        kind = candidate;
        return true;
      }
    }
    return false;
  }

  bool key(Key& made) {
    if (accept('\'')) {
      std::string text;
      while (position_ < text_.size() && text_[position_] != '\'') {
        position_ += text_[position_] == '\\' && position_ + 1 < text_.size() ? 1 : 0;
        text += text_[position_++];
      }
      made = Key(std::move(text));
      return accept('\'');
    }
    const bool negative = accept('-');
    uint64_t value = 0;
    if (!number(value)) {
      return false;
    }
    made = Key(negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value));
    return true;
  }

  /// Decimal digits whose value fits int64_t.
  bool number(uint64_t& value) {
    constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    const size_t start = position_;
    value = 0;
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') {
      const auto digit = static_cast<uint64_t>(text_[position_] - '0');
      if (value > (kMax - digit) / 10) {
        return false;
      }
      value = value * 10 + digit;
      ++position_;
    }
    return position_ > start;
  }

  bool accept(char wanted) {
    if (position_ >= text_.size() || text_[position_] != wanted) {
      return false;
    }
    ++position_;
    return true;
  }

  bool wrong(const char* what) const {
    ET_LOG(Error, "Text of a tree at character %zu of %zu: %s", position_, text_.size(), what);
    return false;
  }

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

Result<TreeSpec<Empty>> parse(std::string_view text) { return Parser(text).whole(); }

void append_key(const Key& key, std::string& text) {
  if (key.kind() == Key::Kind::Int) {
    text += std::to_string(key.as_int());
    return;
  }
  text += '\'';
  for (const char character : key.as_str()) {
    if (character == '\'' || character == '\\') {
      text += '\\';
    }
    text += character;
  }
  text += '\'';
}

char kind_letter(Kind kind) {
  switch (kind) {
    case Kind::List:
      return 'L';
    case Kind::Tuple:
      return 'T';
    case Kind::NamedTuple:
      return 'N';
    case Kind::Dict:
      return 'D';
    case Kind::Leaf:
      break;
  }
  return '$';
}

}  // namespace internal
}  // namespace pytree
}  // namespace extension
}  // namespace executorch
