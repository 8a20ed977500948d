#include <algorithm>

#include <executorch/extension/llm/tokenizer/added_tokens.h>
#include <executorch/extension/llm/tokenizer/utf8.h>

namespace tokenizers {

using ::executorch::runtime::Error;

namespace {

/// Where the white space at the end of a text begins.
size_t space_at_end(std::string_view text) {
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    begin = is_space(next_character(text, at)) ? begin : at;
  }
  return begin;
}

/// How much white space a text begins with.
size_t space_at_front(std::string_view text) {
  size_t end = 0;
  for (size_t at = 0; at < text.size() && is_space(next_character(text, at));) {
    end = at;
  }
  return end;
}

}  // namespace

bool AddedTokens::read(const Json& config, const Normalizer* normalizer, std::string& why) {
  word_ = Regex::compile("\\w", why);
  if (!config.is_array() && !config.is_null()) {
    why = "its added_tokens are no list";
    return false;
  }
  for (const Json& entry : config) {
    Token token = {text_field(entry, "content"),         0,
                   flag_field(entry, "special", false),  flag_field(entry, "single_word", false),
                   flag_field(entry, "lstrip", false),   flag_field(entry, "rstrip", false),
                   flag_field(entry, "normalized", true)};
    if (!count_of(field(entry, "id"), token.id) || token.id >= INT32_MAX) {
      why = "an added token has no id";
      return false;
    }
    if (token.content.empty()) {
      continue;
    }
    std::string content = token.content;
    if (token.normalized && normalizer != nullptr && normalizer->normalize(content) != Error::Ok) {
      why = "its normalizer cannot take its added token '" + content + "'";
      return false;
    }
    (token.normalized ? normalized_ : as_they_are_).add(content, tokens_.size());
    by_id_.emplace(token.id, tokens_.size());
    tokens_.push_back(std::move(token));
  }
  finish();
  return true;
}

bool AddedTokens::add(const std::string& content, uint64_t id) {
  if (content.empty() || !by_id_.emplace(id, tokens_.size()).second) {
    return false;
  }
  as_they_are_.add(content, tokens_.size());
  tokens_.push_back({content, id, true, false, false, false, false});
  return true;
}

void AddedTokens::finish() {
  as_they_are_.sort();
  normalized_.sort();
}

const AddedTokens::Token* AddedTokens::find(uint64_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

const AddedTokens::Token* AddedTokens::find(const std::string& content) const {
  for (const Token& token : tokens_) {
    if (token.content == content) {
      return &token;
    }
  }
  return nullptr;
}

/// Whether neither neighbour of the range is part of a word.
bool AddedTokens::stands_alone(std::string_view text, Range range) const {
  const auto is_word = [this](std::string_view character) {
    std::vector<Range> matches;
    return word_->find_all(character, matches) == Error::Ok && !matches.empty();
  };
  if (range.end < text.size()) {
    size_t behind = range.end;
    next_character(text, behind);
    if (is_word(text.substr(range.end, behind - range.end))) {
      return false;
    }
  }
  size_t before = range.begin;
  while (before > 0 && (static_cast<unsigned char>(text[--before]) & 0xc0) == 0x80) {
  }
  return range.begin == 0 || !is_word(text.substr(before, range.begin - before));
}

std::vector<AddedTokens::Segment> AddedTokens::divide(
    std::string_view text, bool normalized, const std::vector<std::string>* allowed) const {
  std::vector<Segment> segments;
  const PrefixIndex& index = normalized ? normalized_ : as_they_are_;
  size_t done = 0;
  for (size_t at = 0; at < text.size() && !index.empty();) {
    size_t length = 0;
    const Token* token = nullptr;
    index.prefixes_of(text.substr(at), [&](size_t longer, uint64_t found) {
      const Token& candidate = tokens_[found];
      if (allowed == nullptr ||
          std::find(allowed->begin(), allowed->end(), candidate.content) != allowed->end()) {
        length = longer;
        token = &candidate;
      }
    });
    if (token == nullptr) {
      next_character(text, at);
      continue;
    }
    Range range = {at, at + length};
    at = range.end;
    if (token->single_word && !stands_alone(text, range)) {
      continue;
    }
    if (token->takes_left) {
      range.begin = std::max(space_at_end(text.substr(0, range.begin)), done);
    }
    if (token->takes_right) {
      range.end += space_at_front(text.substr(range.end));
    }
    if (done < range.begin) {
      segments.push_back({{done, range.begin}, nullptr});
    }
    segments.push_back({range, token});
    done = range.end;
  }
  if (done < text.size()) {
    segments.push_back({{done, text.size()}, nullptr});
  }
  return segments;
}

}  // namespace tokenizers
