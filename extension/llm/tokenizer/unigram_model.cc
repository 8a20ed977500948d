#include <algorithm>
#include <limits>

#include <executorch/extension/llm/tokenizer/model.h>
#include <executorch/extension/llm/tokenizer/prefix_index.h>
#include <executorch/extension/llm/tokenizer/utf8.h>
#include <executorch/runtime/platform/log.h>

namespace tokenizers {

using ::executorch::runtime::Error;

namespace {

/// By how much an unknown character is less probable than the least probable piece.
constexpr double kUnknownPenalty = 10.0;

class Unigram : public Model {
 public:
  bool read(const Json& config, std::string& why);

  Error tokenize(std::string_view word, std::vector<uint64_t>& tokens) const override;

 private:
  /// The end of a best division: its score, and the last piece of it.
  struct End {
    double score = 0.0;
    size_t begin = kNever;
    bool unknown = false;
  };
  static constexpr size_t kNever = static_cast<size_t>(-1);

  Error divide(std::string_view word, std::vector<End>& ends) const;
  void append(std::string_view piece, std::vector<uint64_t>& tokens) const;

  std::vector<double> scores_;
  PrefixIndex index_;
  double unknown_score_ = 0.0;
  uint64_t unknown_ = 0;
  bool has_unknown_ = false;
  bool byte_fallback_ = false;
};

bool Unigram::read(const Json& config, std::string& why) {
  const Json& pieces = field(config, "vocab");
  if (!pieces.is_array() || pieces.empty()) {
    why = "its model has no vocab of pieces and their scores";
    return false;
  }
  double least = std::numeric_limits<double>::infinity();
  for (const Json& piece : pieces) {
    const bool fits =
        piece.is_array() && piece.size() == 2 && piece[0].is_string() && piece[1].is_number();
    const std::string text = fits ? piece[0].get<std::string>() : "";
    // Of equal pieces the last one counts in a map, but each has its token.
    if (!fits || !vocabulary_.add(text, scores_.size())) {
      why = "entry " + std::to_string(scores_.size()) +
            " of its vocab is no piece with a score, or another piece is the same";
      return false;
    }
    index_.add(text, scores_.size());
    scores_.push_back(piece[1].get<double>());
    least = std::min(least, scores_.back());
  }
  index_.sort();
  unknown_score_ = least - kUnknownPenalty;
  has_unknown_ = count_of(field(config, "unk_id"), unknown_);
  byte_fallback_ = flag_field(config, "byte_fallback", false);
  if (has_unknown_ && unknown_ >= scores_.size()) {
    why = "its unk_id is not in its vocab";
    return false;
  }
  return true;
}

Error Unigram::divide(std::string_view word, std::vector<End>& ends) const {
  ends.assign(word.size() + 1, End());
  const auto offer = [&ends](size_t begin, size_t end, double score, bool unknown) {
    score += ends[begin].score;
    if (ends[end].begin == kNever || score > ends[end].score) {
      ends[end] = {score, begin, unknown};
    }
  };
  for (size_t at = 0; at < word.size();) {
    size_t next = at;
    next_character(word, next);
    bool has_single = false;
    index_.prefixes_of(word.substr(at), [&](size_t length, uint64_t token) {
      offer(at, at + length, scores_[token], has_unknown_ && token == unknown_);
      has_single = has_single || at + length == next;
    });
    if (!has_single) {
      if (!has_unknown_) {
        ET_LOG(Error,
               "A character is not in the tokenizer's vocabulary, which has no unknown token");
        return Error::InvalidArgument;
      }
      offer(at, next, unknown_score_, true);
    }
    at = next;
  }
  return Error::Ok;
}

Error Unigram::tokenize(std::string_view word, std::vector<uint64_t>& tokens) const {
  std::vector<End> ends;
  const Error error = divide(word, ends);
  if (error != Error::Ok) {
    return error;
  }
  std::vector<std::string_view> pieces;  // From the last on, unknown ones in a row as one.
  for (size_t end = word.size(); end > 0;) {
    size_t begin = ends[end].begin;
    while (ends[end].unknown && begin > 0 && ends[begin].unknown) {
      begin = ends[begin].begin;
    }
    pieces.push_back(word.substr(begin, end - begin));
    end = begin;
  }
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    append(*piece, tokens);
  }
  return Error::Ok;
}

void Unigram::append(std::string_view piece, std::vector<uint64_t>& tokens) const {
  uint64_t token = 0;
  if (vocabulary_.find(piece, token)) {
    tokens.push_back(token);
  } else if (!byte_fallback_ || !tokens_of_bytes(piece, vocabulary_, tokens)) {
    tokens.push_back(unknown_);
  }
}

}  // namespace

std::unique_ptr<Model> read_unigram(const Json& config, std::string& why) {
  auto model = std::make_unique<Unigram>();
  return model->read(config, why) ? std::move(model) : nullptr;
}

}  // namespace tokenizers
