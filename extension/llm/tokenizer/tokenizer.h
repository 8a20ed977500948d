#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <executorch/extension/llm/tokenizer/error.h>

namespace tokenizers {

/// From text to the tokens of a model, and back. To be implemented for each format of files, or for
/// a library that reads them. Const functions may be called by several threads at once.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Reads a file. What else is called before it is Ok gives InvalidState.
  virtual Error load(const std::string& tokenizer_path) = 0;

  /// The tokens of a text.
  ///
  /// @param bos How many tokens of begin are put in front.
  /// @param eos How many tokens of end are put behind.
  virtual Result<std::vector<uint64_t>> encode(const std::string& input, int8_t bos = 0,
                                               int8_t eos = 0) const = 0;

  /// What `token` adds to a text whose last token is `prev_token`. It need not be whole characters.
  /// InvalidArgument for a token that the vocabulary does not have.
  ///
  /// @param skip_special_tokens Tokens that are no text give none.
  virtual Result<std::string> decode(uint64_t prev_token, uint64_t token,
                                     bool skip_special_tokens = false) const = 0;

  /// The text of all tokens together, with U+FFFD for what is no whole character.
  virtual Result<std::string> decode_batch(const std::vector<uint64_t>& tokens,
                                           bool skip_special_tokens = false) const;

  /// The same by another name. A class with a decode() of its own shows them by `using`.
  Result<std::string> decode(const std::vector<uint64_t>& tokens,
                             bool skip_special_tokens = false) const {
    return decode_batch(tokens, skip_special_tokens);
  }
  Result<std::string> decode(std::initializer_list<uint64_t> tokens,
                             bool skip_special_tokens = false) const {
    return decode_batch(tokens, skip_special_tokens);
  }

  /// What the vocabulary has for a token, and the token of a piece of it: InvalidArgument and
  /// NotFound where there is none, NotSupported from a tokenizer that does not tell.
  virtual Result<std::string> id_to_piece(uint64_t token) const {
    (void)token;
    return Error::NotSupported;
  }
  virtual Result<uint64_t> piece_to_id(const std::string& piece) const {
    (void)piece;
    return Error::NotSupported;
  }

  bool is_loaded() const { return initialized_; }
  int32_t vocab_size() const { return vocab_size_; }
  uint64_t bos_tok() const { return bos_tok_; }
  uint64_t eos_tok() const { return eos_tok_; }

 protected:
  bool initialized_ = false;
  int32_t vocab_size_ = 0;
  uint64_t bos_tok_ = 0;
  uint64_t eos_tok_ = 0;
};

}  // namespace tokenizers
