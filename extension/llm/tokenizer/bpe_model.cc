#include <queue>
#include <utility>

#include <executorch/extension/llm/tokenizer/model.h>
#include <executorch/extension/llm/tokenizer/utf8.h>
#include <executorch/runtime/platform/log.h>

namespace tokenizers {

using ::executorch::runtime::Error;

namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// What two tokens become, and how early.
struct Merge {
  uint32_t rank;
  uint32_t token;
};

uint64_t pair_of(uint32_t left, uint32_t right) { return uint64_t{left} << 32 | right; }

using Merges = std::unordered_map<uint64_t, Merge>;

/// Tokens in a row, joined in the order of the merges.
class Word {
 public:
  explicit Word(const Merges& merges) : merges_(merges) {}

  void add(uint64_t token) {
    const auto at = static_cast<uint32_t>(symbols_.size());
    symbols_.push_back({static_cast<uint32_t>(token), at == 0 ? kNone : at - 1, kNone, true});
    if (at > 0) {
      symbols_[at - 1].next = at;
    }
  }

  void append_merged(std::vector<uint64_t>& tokens) {
    for (uint32_t i = 0; i + 1 < symbols_.size(); ++i) {
      consider(i, i + 1);
    }
    while (!candidates_.empty()) {
      const Candidate top = candidates_.top();
      candidates_.pop();
      Symbol& left = symbols_[top.left];
      if (!left.there || left.next == kNone) {
        continue;
      }
      Symbol& right = symbols_[left.next];
      const auto merge = merges_.find(pair_of(left.token, right.token));
      if (merge == merges_.end() || merge->second.token != top.token) {
        continue;  // One of the two has become longer since.
      }
      right.there = false;
      left.token = top.token;
      left.next = right.next;
      if (left.next != kNone) {
        symbols_[left.next].previous = top.left;
      }
      consider(left.previous, top.left);
      consider(top.left, left.next);
    }
    for (const Symbol& symbol : symbols_) {
      if (symbol.there) {
        tokens.push_back(symbol.token);
      }
    }
  }

 private:
  struct Symbol {
    uint32_t token;
    uint32_t previous;
    uint32_t next;
    bool there;
  };

  struct Candidate {
    uint32_t rank;
    uint32_t left;
    uint32_t token;
    bool operator<(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };

  void consider(uint32_t left, uint32_t right) {
    if (left == kNone || right == kNone) {
      return;
    }
    const auto merge = merges_.find(pair_of(symbols_[left].token, symbols_[right].token));
    if (merge != merges_.end()) {
      candidates_.push({merge->second.rank, left, merge->second.token});
    }
  }

  const Merges& merges_;
  std::vector<Symbol> symbols_;
  std::priority_queue<Candidate> candidates_;
};

class Bpe : public Model {
 public:
  bool read(const Json& config, std::string& why);

  Error tokenize(std::string_view word, std::vector<uint64_t>& tokens) const override;

 private:
  bool read_merge(const Json& merge, uint32_t rank, std::string& why);
  Error add_characters(std::string_view text, Word& word) const;

  Merges merges_;
  std::string prefix_;
  std::string suffix_;
  std::string unknown_;
  bool fuse_unknown_ = false;
  bool byte_fallback_ = false;
  bool ignore_merges_ = false;
};

bool Bpe::read(const Json& config, std::string& why) {
  const Json& merges = field(config, "merges");
  const Json& dropout = field(config, "dropout");
  if (!merges.is_array() || (dropout.is_number() && dropout.get<double>() != 0.0)) {
    why = "its model has no merges, or drops some by chance (dropout), which is for training";
    return false;
  }
  prefix_ = text_field(config, "continuing_subword_prefix");
  suffix_ = text_field(config, "end_of_word_suffix");
  unknown_ = text_field(config, "unk_token");
  fuse_unknown_ = flag_field(config, "fuse_unk", false);
  byte_fallback_ = flag_field(config, "byte_fallback", false);
  ignore_merges_ = flag_field(config, "ignore_merges", false);
  if (!read_vocabulary(config, vocabulary_, why)) {
    return false;
  }
  merges_.reserve(merges.size());
  uint32_t rank = 0;
  for (const Json& merge : merges) {
    if (!read_merge(merge, rank++, why)) {
      return false;
    }
  }
  return true;
}

/// "left right" or ["left", "right"].
bool Bpe::read_merge(const Json& merge, uint32_t rank, std::string& why) {
  std::string left;
  std::string right;
  if (const auto* const both = merge.get_ptr<const std::string*>()) {
    const size_t space = both->find(' ');
    left = both->substr(0, space);
    right = space == std::string::npos ? "" : both->substr(space + 1);
  } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
             merge[1].is_string()) {
    left = *merge[0].get_ptr<const std::string*>();
    right = *merge[1].get_ptr<const std::string*>();
  }
  uint64_t first = 0;
  uint64_t second = 0;
  uint64_t joined = 0;
  if (right.size() < prefix_.size() || !vocabulary_.find(left, first) ||
      !vocabulary_.find(right, second) ||
      !vocabulary_.find(left + right.substr(prefix_.size()), joined)) {
    why = "merge " + std::to_string(rank) + " ('" + left + "', '" + right +
          "') is none of two pieces of the vocabulary to a third";
    return false;
  }
  merges_[pair_of(static_cast<uint32_t>(first), static_cast<uint32_t>(second))] = {
      rank, static_cast<uint32_t>(joined)};
  return true;
}

Error Bpe::tokenize(std::string_view text, std::vector<uint64_t>& tokens) const {
  uint64_t token = 0;
  if (ignore_merges_ && vocabulary_.find(text, token)) {
    tokens.push_back(token);
    return Error::Ok;
  }
  Word word(merges_);
  const Error error = add_characters(text, word);
  if (error == Error::Ok) {
    word.append_merged(tokens);
  }
  return error;
}

Error Bpe::add_characters(std::string_view text, Word& word) const {
  bool pending = false;  // An unknown token that may take in what follows.
  uint64_t unknown = 0;
  std::vector<uint64_t> bytes;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    next_character(text, at);
    std::string piece = begin == 0 ? "" : prefix_;
    piece += text.substr(begin, at - begin);
    piece += at == text.size() ? suffix_ : "";
    uint64_t token = 0;
    if (vocabulary_.find(piece, token)) {
      if (pending) {
        word.add(unknown);
        pending = false;
      }
      word.add(token);
      continue;
    }
    bytes.clear();
    if (byte_fallback_ && tokens_of_bytes(piece, vocabulary_, bytes)) {
      for (const uint64_t byte : bytes) {
        word.add(byte);
      }
      continue;
    }
    if (unknown_.empty()) {
      continue;
    }
    if (!vocabulary_.find(unknown_, unknown)) {
      ET_LOG(Error, "The tokenizer's unknown token %s is not in its vocabulary", unknown_.c_str());
      return Error::InvalidExternalData;
    }
    if (pending && !fuse_unknown_) {
      word.add(unknown);
    }
    pending = true;
  }
  if (pending) {
    word.add(unknown);
  }
  return Error::Ok;
}

}  // namespace

std::unique_ptr<Model> read_bpe(const Json& config, std::string& why) {
  auto model = std::make_unique<Bpe>();
  return model->read(config, why) ? std::move(model) : nullptr;
}

}  // namespace tokenizers
