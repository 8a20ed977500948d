#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <executorch/extension/llm/tokenizer/charsmap.h>
#include <executorch/extension/llm/tokenizer/tokenizer.h>

namespace tokenizers {

/// The `tokenizer.model` files of SentencePiece whose model is BPE or unigram, as those of language
/// models are.
class SPTokenizer : public Tokenizer {
 public:
  /// AccessFailed for a file that cannot be read, InvalidExternalData for one of another format,
  /// NotSupported for other models; then the tokenizer is as it was.
  Error load(const std::string& tokenizer_path) override;

  Result<std::vector<uint64_t>> encode(const std::string& input, int8_t bos = 0,
                                       int8_t eos = 0) const override;

  using Tokenizer::decode;
  Result<std::string> decode(uint64_t prev_token, uint64_t token,
                             bool skip_special_tokens = false) const override;

  Result<std::string> decode_batch(const std::vector<uint64_t>& tokens,
                                   bool skip_special_tokens = false) const override;

  Result<std::string> id_to_piece(uint64_t token) const override;
  Result<uint64_t> piece_to_id(const std::string& piece) const override;

  /// The logarithm of how probable a token is, or what takes its place; 0 for one that is none.
  float score(uint64_t token) const {
    return token < model_.tokens.size() ? model_.tokens[token].score : 0.0f;
  }

  /// What a file says. For the reader of the format.
  struct Model {
    enum Kind { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
    struct Token {
      std::string piece;
      float score = 0.0f;
      int64_t kind = kNormal;
    };

    std::vector<Token> tokens;
    bool unigram = true;
    bool supported = true;
    int64_t unknown = 0;
    int64_t begin = 1;
    int64_t end = 2;
    bool space_in_front = true;
    bool single_spaces = true;
    bool escapes_spaces = true;
    std::string replacements;  // Compiled; see Charsmap.
  };

 private:
  std::string normalized(const std::string& input) const;
  std::string replaced(const std::string& input) const;
  void append_text(const std::string& text, std::vector<uint64_t>& tokens) const;
  void append_pairs(const std::string& text, std::vector<uint64_t>& tokens) const;
  void append_most_probable(const std::string& text, std::vector<uint64_t>& tokens) const;
  void append_piece(const std::string& piece, std::vector<uint64_t>& tokens) const;
  size_t user_defined_at(const std::string& text, size_t at) const;

  Model model_;
  Charsmap replacements_;
  /// Of what may stand in a text.
  std::unordered_map<std::string, uint64_t> index_;
  std::vector<int64_t> byte_tokens_;  // of each byte; -1 for none
  size_t longest_ = 0;
  size_t longest_user_defined_ = 0;
  float unknown_score_ = 0.0f;
};

}  // namespace tokenizers
