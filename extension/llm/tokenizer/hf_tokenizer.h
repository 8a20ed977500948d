#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <executorch/extension/llm/tokenizer/tokenizer.h>

namespace tokenizers {

/// The `tokenizer.json` files of Hugging Face: BPE, Unigram, WordPiece and WordLevel, with their
/// normalizers, pre-tokenizers, post-processors and decoders. What they say of truncation and
/// padding, which is for batches, is ignored.
class HFTokenizer : public Tokenizer {
 public:
  HFTokenizer();
  ~HFTokenizer() override;

  /// A file, or a directory that has a `tokenizer.json`. The tokens of begin and end are those that
  /// `tokenizer_config.json` beside it names, else the special ones with the usual names.
  ///
  /// AccessFailed for a file that cannot be read, InvalidExternalData for one of another format or
  /// with parts that are not known; the log says why, and the tokenizer is as it was.
  Error load(const std::string& tokenizer_path) override;

  /// The same from the text of a file, and that of a `tokenizer_config.json`, which may be empty.
  Error load_text(const std::string& tokenizer, const std::string& config = "");

  /// @param bos, eos If either is positive, the tokens that the file puts around a text are added;
  ///     if it has none, as many of begin and end as they say.
  Result<std::vector<uint64_t>> encode(const std::string& input, int8_t bos = 0,
                                       int8_t eos = 0) const override;

  using Tokenizer::decode;
  Result<std::string> decode(uint64_t prev_token, uint64_t token,
                             bool skip_special_tokens = false) const override;

  /// The text of all tokens together.
  Result<std::string> decode_batch(const std::vector<uint64_t>& tokens,
                                   bool skip_special_tokens = false) const override;

  /// The piece of a token, and the token of a piece; InvalidArgument and NotFound where there is
  /// none.
  Result<std::string> id_to_piece(uint64_t token) const override;
  Result<uint64_t> piece_to_id(const std::string& piece) const override;

 private:
  struct Parts;

  Result<std::string> text_of(const std::vector<uint64_t>& tokens, bool skip_special_tokens,
                              bool raw) const;

  std::unique_ptr<Parts> parts_;
};

}  // namespace tokenizers
