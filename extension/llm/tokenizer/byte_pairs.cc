#include <queue>

#include <executorch/extension/llm/tokenizer/byte_pairs.h>

namespace tokenizers {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

/// A pair that could be joined. It is out of date once one of its two has become longer.
struct Pair {
  float score;
  size_t left;
  size_t right;
  size_t length;

  bool operator<(const Pair& other) const {
    return score != other.score ? score < other.score : left > other.left;
  }
};

/// A list of the pieces that are left.
class Joiner {
 public:
  Joiner(const std::string& text, const std::vector<Piece>& pieces,
         const std::function<std::optional<float>(const std::string&)>& score_of)
      : text_(text),
        pieces_(pieces),
        score_of_(score_of),
        previous_(pieces.size()),
        next_(pieces.size()) {
    for (size_t i = 0; i < pieces_.size(); ++i) {
      previous_[i] = i == 0 ? kNone : i - 1;
      next_[i] = i + 1 == pieces_.size() ? kNone : i + 1;
    }
  }

  std::vector<Piece> run() {
    for (size_t i = 0; i + 1 < pieces_.size(); ++i) {
      consider(i, i + 1);
    }
    while (!pairs_.empty()) {
      const Pair pair = pairs_.top();
      pairs_.pop();
      if (size(pair.left) > 0 && size(pair.right) > 0 &&
          size(pair.left) + size(pair.right) == pair.length) {
        join(pair.left, pair.right);
      }
    }
    std::vector<Piece> left;
    for (const Piece& piece : pieces_) {
      if (piece.begin < piece.end) {
        left.push_back(piece);
      }
    }
    return left;
  }

 private:
  size_t size(size_t i) const { return pieces_[i].end - pieces_[i].begin; }

  void consider(size_t left, size_t right) {
    if (left == kNone || right == kNone || !pieces_[left].joins || !pieces_[right].joins) {
      return;
    }
    const size_t length = size(left) + size(right);
    const std::optional<float> score = score_of_(text_.substr(pieces_[left].begin, length));
    if (score) {
      pairs_.push({*score, left, right, length});
    }
  }

  void join(size_t left, size_t right) {
    pieces_[left].end = pieces_[right].end;
    pieces_[right].begin = pieces_[right].end;
    next_[left] = next_[right];
    if (next_[left] != kNone) {
      previous_[next_[left]] = left;
    }
    consider(previous_[left], left);
    consider(left, next_[left]);
  }

  const std::string& text_;
  std::vector<Piece> pieces_;
  const std::function<std::optional<float>(const std::string&)>& score_of_;
  std::vector<size_t> previous_;
  std::vector<size_t> next_;
  std::priority_queue<Pair> pairs_;
};

}  // namespace

size_t character_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

std::vector<Piece> join_byte_pairs(
    const std::string& text, const std::vector<Piece>& pieces,
    const std::function<std::optional<float>(const std::string&)>& score_of) {
  return Joiner(text, pieces, score_of).run();
}

}  // namespace tokenizers
