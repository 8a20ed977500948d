#include <algorithm>
#include <optional>
#include <utility>

#include <executorch/extension/llm/tokenizer/added_tokens.h>
#include <executorch/extension/llm/tokenizer/base64.h>
#include <executorch/extension/llm/tokenizer/byte_pairs.h>
#include <executorch/extension/llm/tokenizer/model_file.h>
#include <executorch/extension/llm/tokenizer/regex.h>
#include <executorch/extension/llm/tokenizer/tiktoken.h>
#include <executorch/extension/llm/tokenizer/utf8.h>
#include <executorch/runtime/platform/log.h>

namespace tokenizers {
namespace {

/// Ranks are compared as floats, which have as many whole numbers.
constexpr uint64_t kMostTokens = uint64_t{1} << 24;
constexpr int kLlamaSpecialTokens = 256;

Error not_loaded() {
  ET_LOG(Error, "load() a tokenizer before it is used");
  return Error::InvalidState;
}

bool read_rank(std::string_view digits, uint64_t& rank) {
  rank = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9' || rank >= kMostTokens) {
      return false;
    }
    rank = rank * 10 + static_cast<uint64_t>(digit - '0');
  }
  return !digits.empty() && rank < kMostTokens;
}

bool read_lines(std::string_view lines, std::vector<std::pair<std::string, uint64_t>>& tokens,
                std::string& why) {
  for (size_t number = 1; !lines.empty(); ++number) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    if (line.empty()) {
      continue;
    }
    const size_t space = std::min(line.find(' '), line.size());
    std::string bytes;
    uint64_t rank = 0;
    if (space == line.size() || !decode_base64(line.substr(0, space), bytes) || bytes.empty() ||
        !read_rank(line.substr(space + 1), rank)) {
      why = "line " + std::to_string(number) + " is no token in base64 with its rank";
      return false;
    }
    tokens.emplace_back(std::move(bytes), rank);
  }
  return true;
}

}  // namespace

struct Tiktoken::Parts {
  std::unordered_map<std::string, uint64_t> ranks;
  std::unordered_map<uint64_t, const std::string*> pieces;
  AddedTokens special;
  std::unique_ptr<Regex> pattern;

  bool add(const std::vector<std::pair<std::string, uint64_t>>& tokens, std::string& why);
  void append_word(const std::string& word, std::vector<uint64_t>& tokens) const;
};

bool Tiktoken::Parts::add(const std::vector<std::pair<std::string, uint64_t>>& tokens,
                          std::string& why) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto [entry, is_new] = ranks.emplace(tokens[i].first, tokens[i].second);
    if (!is_new || !pieces.emplace(entry->second, &entry->first).second) {
      why = "token " + std::to_string(i) + " or its rank is there for the second time";
      return false;
    }
  }
  for (int byte = 0; byte < 256; ++byte) {
    if (ranks.count(std::string(1, static_cast<char>(byte))) == 0) {
      why = "it has no token for byte " + std::to_string(byte);
      return false;
    }
  }
  return true;
}

Tiktoken::Tiktoken() : Tiktoken(nullptr, 0, 1) {}

Tiktoken::Tiktoken(std::unique_ptr<std::vector<std::string>> special_tokens, size_t bos_token_index,
                   size_t eos_token_index)
    : Tiktoken(default_pattern(), std::move(special_tokens), bos_token_index, eos_token_index) {}

Tiktoken::Tiktoken(const std::string& pattern,
                   std::unique_ptr<std::vector<std::string>> special_tokens, size_t bos_token_index,
                   size_t eos_token_index)
    : pattern_(pattern),
      special_tokens_(special_tokens == nullptr ? default_special_tokens()
                                                : std::move(*special_tokens)),
      bos_token_index_(bos_token_index),
      eos_token_index_(eos_token_index) {}

Tiktoken::~Tiktoken() = default;

std::string Tiktoken::default_pattern() {
  return "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|"
         " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
}

std::vector<std::string> Tiktoken::default_special_tokens() {
  std::vector<std::string> tokens = {"<|begin_of_text|>",
                                     "<|end_of_text|>",
                                     "<|reserved_special_token_0|>",
                                     "<|reserved_special_token_1|>",
                                     "<|finetune_right_pad_id|>",
                                     "<|step_id|>",
                                     "<|start_header_id|>",
                                     "<|end_header_id|>",
                                     "<|eom_id|>",
                                     "<|eot_id|>",
                                     "<|python_tag|>",
                                     "<|image|>"};
  for (int reserved = 2; tokens.size() < kLlamaSpecialTokens; ++reserved) {
    tokens.push_back("<|reserved_special_token_" + std::to_string(reserved) + "|>");
  }
  return tokens;
}

Error Tiktoken::take(const Vocabulary& vocabulary, std::string& why) {
  auto parts = std::make_unique<Parts>();
  if (!parts->add(vocabulary.tokens, why)) {
    return Error::InvalidExternalData;
  }
  parts->pattern = Regex::compile(vocabulary.pattern, why);
  if (parts->pattern == nullptr) {
    return Error::InvalidArgument;
  }
  for (const auto& [name, number] : vocabulary.special) {
    if (parts->pieces.count(number) != 0 || !parts->special.add(name, number)) {
      why = "special token '" + name + "' is empty, or its number is that of a rank";
      return Error::InvalidArgument;
    }
  }
  parts->special.finish();
  vocab_size_ = static_cast<int32_t>(vocabulary.tokens.size() + vocabulary.special.size());
  bos_tok_ = vocabulary.bos;
  eos_tok_ = vocabulary.eos;
  parts_ = std::move(parts);
  initialized_ = true;
  return Error::Ok;
}

Error Tiktoken::load(const std::string& tokenizer_path) {
  std::string lines;
  if (!read_file(tokenizer_path, lines)) {
    ET_LOG(Error, "Cannot read the tokenizer %s", tokenizer_path.c_str());
    return Error::AccessFailed;
  }
  Vocabulary vocabulary;
  std::string why;
  if (!read_lines(lines, vocabulary.tokens, why)) {
    ET_LOG(Error, "%s is no tokenizer of tiktoken: %s", tokenizer_path.c_str(), why.c_str());
    return Error::InvalidExternalData;
  }
  const size_t count = vocabulary.tokens.size();
  for (size_t i = 0; i < special_tokens_.size(); ++i) {
    vocabulary.special.emplace_back(special_tokens_[i], count + i);
  }
  vocabulary.pattern = pattern_;
  vocabulary.bos = count + bos_token_index_;
  vocabulary.eos = count + eos_token_index_;
  if (bos_token_index_ >= special_tokens_.size() || eos_token_index_ >= special_tokens_.size()) {
    ET_LOG(Error,
           "The tokenizer cannot be used: the tokens of begin and end are to be special ones %zu "
           "and %zu; there are %zu",
           bos_token_index_, eos_token_index_, special_tokens_.size());
    return Error::InvalidArgument;
  }
  const Error error = take(vocabulary, why);
  if (error != Error::Ok) {
    ET_LOG(Error, "The tokenizer %s cannot be used: %s", tokenizer_path.c_str(), why.c_str());
  }
  return error;
}

void Tiktoken::Parts::append_word(const std::string& word, std::vector<uint64_t>& tokens) const {
  const auto whole = ranks.find(word);
  if (whole != ranks.end()) {
    tokens.push_back(whole->second);
    return;
  }
  std::vector<Piece> bytes;
  for (size_t i = 0; i < word.size(); ++i) {
    bytes.push_back({i, i + 1, true});
  }
  const auto score_of = [this](const std::string& piece) -> std::optional<float> {
    const auto found = ranks.find(piece);
    return found == ranks.end() ? std::nullopt
                                : std::optional<float>(-static_cast<float>(found->second));
  };
  for (const Piece& piece : join_byte_pairs(word, bytes, score_of)) {
    tokens.push_back(ranks.at(word.substr(piece.begin, piece.end - piece.begin)));
  }
}

Error Tiktoken::append(const std::string& input, const std::vector<std::string>* allowed,
                       std::vector<uint64_t>& tokens) const {
  const std::string text = valid_utf8(input);
  std::vector<Range> words;
  for (const AddedTokens::Segment& segment : parts_->special.divide(text, false, allowed)) {
    if (segment.token != nullptr) {
      tokens.push_back(segment.token->id);
      continue;
    }
    const std::string part =
        text.substr(segment.range.begin, segment.range.end - segment.range.begin);
    const Error error = parts_->pattern->find_all(part, words);
    if (error != Error::Ok) {
      return error;
    }
    for (const Range& word : words) {
      if (word.begin < word.end) {
        parts_->append_word(part.substr(word.begin, word.end - word.begin), tokens);
      }
    }
  }
  return Error::Ok;
}

Result<std::vector<uint64_t>> Tiktoken::encode(const std::string& input, int8_t bos,
                                               int8_t eos) const {
  if (!initialized_) {
    return not_loaded();
  }
  std::vector<uint64_t> tokens(bos > 0 ? static_cast<size_t>(bos) : 0, bos_tok_);
  const Error error = append(input, nullptr, tokens);
  tokens.insert(tokens.end(), eos > 0 ? static_cast<size_t>(eos) : 0, eos_tok_);
  return error == Error::Ok ? Result<std::vector<uint64_t>>(std::move(tokens))
                            : Result<std::vector<uint64_t>>(error);
}

Result<std::vector<uint64_t>> Tiktoken::encode_allowing(
    const std::string& input, const std::vector<std::string>& allowed) const {
  std::vector<uint64_t> tokens;
  const Error error = initialized_ ? append(input, &allowed, tokens) : not_loaded();
  return error == Error::Ok ? Result<std::vector<uint64_t>>(std::move(tokens))
                            : Result<std::vector<uint64_t>>(error);
}

Result<std::string> Tiktoken::decode(uint64_t, uint64_t token, bool skip_special_tokens) const {
  const AddedTokens::Token* const special = initialized_ ? parts_->special.find(token) : nullptr;
  if (special != nullptr && skip_special_tokens) {
    return std::string();
  }
  return id_to_piece(token);
}

Result<std::string> Tiktoken::id_to_piece(uint64_t token) const {
  if (!initialized_) {
    return not_loaded();
  }
  const AddedTokens::Token* const special = parts_->special.find(token);
  if (special != nullptr) {
    return special->content;
  }
  const auto found = parts_->pieces.find(token);
  if (found == parts_->pieces.end()) {
    ET_LOG(Error, "Token %llu is not in the vocabulary, which has %d",
           static_cast<unsigned long long>(token), static_cast<int>(vocab_size_));
    return Error::InvalidArgument;
  }
  return *found->second;
}

Result<uint64_t> Tiktoken::piece_to_id(const std::string& piece) const {
  if (!initialized_) {
    return not_loaded();
  }
  const AddedTokens::Token* const special = parts_->special.find(piece);
  if (special != nullptr) {
    return special->id;
  }
  const auto found = parts_->ranks.find(piece);
  return found == parts_->ranks.end() ? Result<uint64_t>(Error::NotFound)
                                      : Result<uint64_t>(found->second);
}

}  // namespace tokenizers
