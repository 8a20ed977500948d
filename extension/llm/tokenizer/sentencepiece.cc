#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <executorch/extension/llm/tokenizer/byte_pairs.h>
#include <executorch/extension/llm/tokenizer/model_file.h>
#include <executorch/extension/llm/tokenizer/sentencepiece.h>
#include <executorch/extension/llm/tokenizer/sentencepiece_reader.h>
#include <executorch/extension/llm/tokenizer/utf8.h>
#include <executorch/runtime/platform/log.h>

namespace tokenizers {
namespace {

/// Stands for a space in pieces.
const char kSpace[] = "\xe2\x96\x81";
constexpr size_t kSpaceSize = sizeof(kSpace) - 1;
/// How much less probable than all pieces an unknown character is.
constexpr float kUnknownPenalty = 10.0f;

std::string with_spaces(const std::string& piece) {
  std::string text;
  for (size_t at = 0; at < piece.size();) {
    if (piece.compare(at, kSpaceSize, kSpace) == 0) {
      text += ' ';
      at += kSpaceSize;
    } else {
      text += piece[at++];
    }
  }
  return text;
}

/// The characters of bytes, and U+FFFD for each byte that is part of none.
std::string characters_or_replacements(std::string_view bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.size();) {
    const std::string_view character = bytes.substr(at, character_length(bytes[at]));
    const bool whole = valid_utf8(character) == character;
    text += whole ? character : std::string_view("\xef\xbf\xbd");
    at += whole ? character.size() : 1;
  }
  return text;
}

}  // namespace

Error SPTokenizer::load(const std::string& tokenizer_path) {
  std::string bytes;
  if (!read_file(tokenizer_path, bytes)) {
    ET_LOG(Error, "Cannot read the tokenizer %s", tokenizer_path.c_str());
    return Error::AccessFailed;
  }
  Model model;
  const bool fits = read_sentencepiece(bytes, model);
  const auto count = static_cast<int64_t>(model.tokens.size());
  Charsmap replacements;
  if (!fits || model.unknown < 0 || model.unknown >= count ||
      !replacements.load(model.replacements)) {
    ET_LOG(Error, "%s is no model of SentencePiece", tokenizer_path.c_str());
    return Error::InvalidExternalData;
  }
  if (!model.supported) {
    ET_LOG(Error,
           "%s has a model other than BPE and unigram, or spaces behind words, which are not "
           "supported",
           tokenizer_path.c_str());
    return Error::NotSupported;
  }
  index_.clear();
  byte_tokens_.assign(256, -1);
  longest_ = longest_user_defined_ = 0;
  float least = std::numeric_limits<float>::max();
  for (size_t i = 0; i < model.tokens.size(); ++i) {
    const Model::Token& token = model.tokens[i];
    const int byte = token.kind == Model::kByte ? byte_of(token.piece) : -1;
    if (byte >= 0) {
      byte_tokens_[static_cast<size_t>(byte)] = static_cast<int64_t>(i);
    } else if (token.kind == Model::kNormal || token.kind == Model::kUserDefined) {
      index_.emplace(token.piece, i);
      longest_ = std::max(longest_, token.piece.size());
      least = token.kind == Model::kNormal ? std::min(least, token.score) : least;
    }
    if (token.kind == Model::kUserDefined) {
      longest_user_defined_ = std::max(longest_user_defined_, token.piece.size());
    }
  }
  unknown_score_ = (index_.empty() ? 0.0f : least) - kUnknownPenalty;
  replacements_ = std::move(replacements);
  model_ = std::move(model);
  vocab_size_ = static_cast<int32_t>(count);
  bos_tok_ = static_cast<uint64_t>(model_.begin);
  eos_tok_ = static_cast<uint64_t>(model_.end);
  initialized_ = true;
  return Error::Ok;
}

Result<std::vector<uint64_t>> SPTokenizer::encode(const std::string& input, int8_t bos,
                                                  int8_t eos) const {
  if (!initialized_) {
    ET_LOG(Error, "load() a tokenizer before it encodes");
    return Error::InvalidState;
  }
  if ((bos > 0 && model_.begin < 0) || (eos > 0 && model_.end < 0)) {
    ET_LOG(Error, "The tokenizer has no token of begin, or none of end");
    return Error::InvalidArgument;
  }
  std::vector<uint64_t> tokens;
  tokens.insert(tokens.end(), bos > 0 ? static_cast<size_t>(bos) : 0, bos_tok_);
  append_text(normalized(input), tokens);
  tokens.insert(tokens.end(), eos > 0 ? static_cast<size_t>(eos) : 0, eos_tok_);
  return tokens;
}

/// The text with what its table replaces; tokens of the user's stay as they are.
std::string SPTokenizer::replaced(const std::string& input) const {
  if (replacements_.empty()) {
    return input;
  }
  const std::string text = valid_utf8(input);
  std::string result;
  size_t done = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t user_defined = user_defined_at(text, at);
    if (user_defined > 0) {
      result += replacements_.replace_longest(std::string_view(text).substr(done, at - done));
      result.append(text, at, user_defined);
      done = at + user_defined;
    }
    at += user_defined > 0 ? user_defined : character_length(text[at]);
  }
  return result + replacements_.replace_longest(std::string_view(text).substr(done));
}

/// The text as the model has seen texts when it was trained.
std::string SPTokenizer::normalized(const std::string& input) const {
  std::string text;
  for (const char c : replaced(input)) {
    const bool leads = text.empty() || text.back() == ' ';
    if (c != ' ' || !model_.single_spaces || !leads) {
      text += c;
    }
  }
  if (model_.single_spaces && !text.empty() && text.back() == ' ') {
    text.pop_back();
  }
  if (model_.space_in_front && !text.empty()) {
    text.insert(0, 1, ' ');
  }
  if (!model_.escapes_spaces) {
    return text;
  }
  std::string escaped;
  for (const char c : text) {
    if (c == ' ') {
      escaped += kSpace;
    } else {
      escaped += c;
    }
  }
  // What stands for a space may also be in the input itself.
  const auto ends_in_space = [&escaped] {
    return escaped.size() >= kSpaceSize &&
           escaped.compare(escaped.size() - kSpaceSize, kSpaceSize, kSpace) == 0;
  };
  while (model_.single_spaces && ends_in_space()) {
    escaped.resize(escaped.size() - kSpaceSize);
  }
  return escaped;
}

/// The size of the longest token at this place that text was told never to be divided in; 0 if
/// there is none.
size_t SPTokenizer::user_defined_at(const std::string& text, size_t at) const {
  for (size_t size = std::min(longest_user_defined_, text.size() - at); size > 0; --size) {
    const auto found = index_.find(text.substr(at, size));
    if (found != index_.end() && model_.tokens[found->second].kind == Model::kUserDefined) {
      return size;
    }
  }
  return 0;
}

void SPTokenizer::append_text(const std::string& text, std::vector<uint64_t>& tokens) const {
  if (model_.unigram) {
    append_most_probable(text, tokens);
  } else {
    append_pairs(text, tokens);
  }
}

void SPTokenizer::append_pairs(const std::string& text, std::vector<uint64_t>& tokens) const {
  std::vector<Piece> pieces;
  for (size_t at = 0; at < text.size();) {
    const size_t user_defined = user_defined_at(text, at);
    const size_t size = user_defined > 0 ? user_defined : character_length(text[at]);
    const size_t end = std::min(at + size, text.size());
    pieces.push_back({at, end, user_defined == 0});
    at = end;
  }
  const auto score_of = [this](const std::string& piece) -> std::optional<float> {
    const auto found = index_.find(piece);
    return found == index_.end() ? std::nullopt
                                 : std::optional<float>(model_.tokens[found->second].score);
  };
  for (const Piece& piece : join_byte_pairs(text, pieces, score_of)) {
    append_piece(text.substr(piece.begin, piece.end - piece.begin), tokens);
  }
}

/// Of all ways to divide the text, the one with the largest sum of scores.
void SPTokenizer::append_most_probable(const std::string& text,
                                       std::vector<uint64_t>& tokens) const {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  std::vector<float> best(text.size() + 1, kNever);
  std::vector<size_t> begin_of(text.size() + 1, 0);
  best[0] = 0.0f;
  const auto offer = [&](size_t begin, size_t end, float score) {
    if (best[begin] + score > best[end]) {
      best[end] = best[begin] + score;
      begin_of[end] = begin;
    }
  };
  for (size_t at = 0; at < text.size();) {
    const size_t next = std::min(at + character_length(text[at]), text.size());
    const size_t user_defined = user_defined_at(text, at);
    bool has_single = false;
    for (size_t end = next; end <= text.size() && end - at <= longest_ && user_defined == 0;) {
      const auto found = index_.find(text.substr(at, end - at));
      if (found != index_.end()) {
        offer(at, end, model_.tokens[found->second].score);
        has_single = has_single || end == next;
      }
      end += end < text.size() ? character_length(text[end]) : 1;
    }
    if (user_defined > 0) {
      offer(at, at + user_defined, 0.0f);
    } else if (!has_single) {
      offer(at, next, unknown_score_);
    }
    at = user_defined > 0 ? at + user_defined : next;
  }
  std::vector<size_t> ends;
  for (size_t end = text.size(); end > 0; end = begin_of[end]) {
    ends.push_back(end);
  }
  for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
    append_piece(text.substr(begin_of[*end], *end - begin_of[*end]), tokens);
  }
}

/// A piece of the vocabulary, or the bytes of another one; without tokens for bytes, unknown pieces
/// are one token together.
void SPTokenizer::append_piece(const std::string& piece, std::vector<uint64_t>& tokens) const {
  const auto found = index_.find(piece);
  if (found != index_.end()) {
    tokens.push_back(found->second);
    return;
  }
  for (const char byte : piece) {
    const int64_t token = byte_tokens_[static_cast<unsigned char>(byte)];
    const auto unknown = static_cast<uint64_t>(model_.unknown);
    if (token >= 0) {
      tokens.push_back(static_cast<uint64_t>(token));
    } else if (tokens.empty() || tokens.back() != unknown) {
      tokens.push_back(unknown);
    }
  }
}

Result<std::string> SPTokenizer::decode(uint64_t prev_token, uint64_t token,
                                        bool skip_special_tokens) const {
  if (!initialized_) {
    ET_LOG(Error, "load() a tokenizer before it decodes");
    return Error::InvalidState;
  }
  if (token >= model_.tokens.size()) {
    ET_LOG(Error, "Token %llu is not in the vocabulary, which has %zu",
           static_cast<unsigned long long>(token), model_.tokens.size());
    return Error::InvalidArgument;
  }
  const Model::Token& found = model_.tokens[token];
  if (found.kind == Model::kControl) {
    return skip_special_tokens ? std::string() : found.piece;
  }
  const int byte = found.kind == Model::kByte ? byte_of(found.piece) : -1;
  if (byte >= 0) {
    return std::string(1, static_cast<char>(byte));
  }
  if (found.kind == Model::kUnknown) {
    return std::string(" \xe2\x81\x87 ");
  }
  const std::string text = with_spaces(found.piece);
  // The space that encode() has put in front of the text is not part of it.
  const bool first = model_.begin >= 0 && prev_token == bos_tok_ && model_.space_in_front;
  return first && !text.empty() && text[0] == ' ' ? text.substr(1) : text;
}

/// As decode() joins them, but that bytes in a row that are no characters are U+FFFD, one for each.
Result<std::string> SPTokenizer::decode_batch(const std::vector<uint64_t>& tokens,
                                              bool skip_special_tokens) const {
  std::string text;
  std::string bytes;
  bool first = true;
  const auto append_bytes = [&] {
    text += characters_or_replacements(bytes);
    bytes.clear();
  };
  for (const uint64_t token : tokens) {
    const auto piece = decode(first ? bos_tok_ : token, token, skip_special_tokens);
    if (!piece.ok()) {
      return piece.error();
    }
    if (model_.tokens[token].kind == Model::kByte) {
      bytes += *piece;
    } else {
      append_bytes();
      text += *piece;
    }
    first = first && model_.tokens[token].kind == Model::kControl;
  }
  append_bytes();
  return text;
}

Result<std::string> SPTokenizer::id_to_piece(uint64_t token) const {
  return token < model_.tokens.size() ? Result<std::string>(model_.tokens[token].piece)
                                      : Result<std::string>(Error::InvalidArgument);
}

Result<uint64_t> SPTokenizer::piece_to_id(const std::string& piece) const {
  for (size_t token = 0; token < model_.tokens.size(); ++token) {
    if (model_.tokens[token].piece == piece) {
      return static_cast<uint64_t>(token);
    }
  }
  return Error::NotFound;
}

}  // namespace tokenizers
