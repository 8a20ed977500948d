#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <executorch/extension/llm/tokenizer/tokenizer.h>

namespace tokenizers {

/// Byte pairs by score, from the `.bin` files of llama2.c: the length of the longest token, and for
/// each token a float score, an int32 length and its bytes, everything little-endian. Tokens 1 and
/// 2 are begin and end, and those from 3 to 258 the bytes that no other token has.
class Llama2cTokenizer : public Tokenizer {
 public:
  /// AccessFailed for a file that cannot be read, InvalidExternalData for one of another format;
  /// then the tokenizer is as it was.
  Error load(const std::string& tokenizer_path) override;

  Result<std::vector<uint64_t>> encode(const std::string& input, int8_t bos = 0,
                                       int8_t eos = 0) const override;

  using Tokenizer::decode;
  Result<std::string> decode(uint64_t prev_token, uint64_t token,
                             bool skip_special_tokens = false) const override;

 private:
  void append_text(const std::string& input, std::vector<uint64_t>& tokens) const;

  std::vector<std::string> pieces_;
  std::vector<float> scores_;
  std::unordered_map<std::string, uint64_t> index_;
};

}  // namespace tokenizers
