#include <cstdio>

#include <executorch/extension/llm/tokenizer/model.h>

namespace tokenizers {

bool Vocabulary::add(const std::string& piece, uint64_t token) {
  constexpr uint64_t kLast = INT32_MAX;  // vocab_size() and the samplers count with 32 bits.
  if (token >= kLast) {
    return false;
  }
  const auto [entry, is_new] = tokens_.emplace(piece, token);
  if (!is_new && entry->second != token) {
    return false;
  }
  return pieces_.emplace(token, &entry->first).first->second == &entry->first;
}

bool Vocabulary::find(std::string_view piece, uint64_t& token) const {
  const auto found = tokens_.find(std::string(piece));
  token = found == tokens_.end() ? 0 : found->second;
  return found != tokens_.end();
}

const std::string* Vocabulary::piece_of(uint64_t token) const {
  const auto found = pieces_.find(token);
  return found == pieces_.end() ? nullptr : found->second;
}

bool read_vocabulary(const Json& config, Vocabulary& vocabulary, std::string& why) {
  const Json& pieces = field(config, "vocab");
  if (!pieces.is_object() || pieces.empty()) {
    why = "its model has no vocab of pieces and their tokens";
    return false;
  }
  vocabulary.reserve(pieces.size());
  for (auto piece = pieces.begin(); piece != pieces.end(); ++piece) {
    uint64_t token = 0;
    if (!count_of(piece.value(), token) || !vocabulary.add(piece.key(), token)) {
      why = "the token of '" + piece.key() + "' is no number, or another piece has it";
      return false;
    }
  }
  return true;
}

bool tokens_of_bytes(std::string_view text, const Vocabulary& vocabulary,
                     std::vector<uint64_t>& tokens) {
  const size_t before = tokens.size();
  for (const char byte : text) {
    char name[8];
    std::snprintf(name, sizeof(name), "<0x%02X>", static_cast<unsigned>(byte) & 0xff);
    uint64_t token = 0;
    if (!vocabulary.find(name, token)) {
      tokens.resize(before);
      return false;
    }
    tokens.push_back(token);
  }
  return true;
}

std::unique_ptr<Model> read_model(const Json& config, std::string& why) {
  std::string type = type_of(config);
  if (type.empty()) {  // Old files have none.
    type = field(config, "merges").is_array()            ? "BPE"
           : field(config, "vocab").is_array()           ? "Unigram"
           : config.contains("max_input_chars_per_word") ? "WordPiece"
                                                         : "";
  }
  if (type == "BPE") {
    return read_bpe(config, why);
  }
  if (type == "Unigram") {
    return read_unigram(config, why);
  }
  if (type == "WordPiece") {
    return read_word_piece(config, why);
  }
  if (type == "WordLevel") {
    return read_word_level(config, why);
  }
  why = "its model '" + type + "' is not known (BPE, Unigram, WordPiece and WordLevel are)";
  return nullptr;
}

}  // namespace tokenizers
