#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <executorch/extension/llm/tokenizer/tokenizer.h>

namespace tokenizers {

/// The files of tiktoken: a line for each token, its bytes in base64 and its rank. Special tokens
/// follow behind the last rank. Without any, they are those of Llama 3, as is the pattern that
/// divides a text into words.
class Tiktoken : public Tokenizer {
 public:
  Tiktoken();

  /// @param bos_token_index, eos_token_index Of the special tokens.
  Tiktoken(std::unique_ptr<std::vector<std::string>> special_tokens, size_t bos_token_index,
           size_t eos_token_index);
  Tiktoken(const std::string& pattern, std::unique_ptr<std::vector<std::string>> special_tokens,
           size_t bos_token_index, size_t eos_token_index);
  ~Tiktoken() override;

  /// AccessFailed for a file that cannot be read, InvalidExternalData for one of another format,
  /// InvalidArgument for a pattern or special tokens that do not fit; then it is as it was.
  Error load(const std::string& tokenizer_path) override;

  Result<std::vector<uint64_t>> encode(const std::string& input, int8_t bos = 0,
                                       int8_t eos = 0) const override;

  /// The tokens of a text in which only these special tokens are special; others are text.
  Result<std::vector<uint64_t>> encode_allowing(const std::string& input,
                                                const std::vector<std::string>& allowed) const;

  using Tokenizer::decode;
  Result<std::string> decode(uint64_t prev_token, uint64_t token,
                             bool skip_special_tokens = false) const override;

  Result<std::string> id_to_piece(uint64_t token) const override;
  Result<uint64_t> piece_to_id(const std::string& piece) const override;

  static std::string default_pattern();
  static std::vector<std::string> default_special_tokens();

 protected:
  /// What the file of a tokenizer of this kind says, whatever its format.
  struct Vocabulary {
    /// Bytes and number; those with the lowest are joined first.
    std::vector<std::pair<std::string, uint64_t>> tokens;
    std::vector<std::pair<std::string, uint64_t>> special;
    std::string pattern;
    uint64_t bos = 0;
    uint64_t eos = 0;
  };

  /// Takes what was read, or leaves all as it was: InvalidExternalData, with the reason, for tokens
  /// that are no vocabulary, InvalidArgument for a pattern or special tokens that do not fit.
  Error take(const Vocabulary& vocabulary, std::string& why);

 private:
  struct Parts;

  Error append(const std::string& input, const std::vector<std::string>* allowed,
               std::vector<uint64_t>& tokens) const;

  std::string pattern_;
  std::vector<std::string> special_tokens_;
  size_t bos_token_index_;
  size_t eos_token_index_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tokenizers
