#include <executorch/extension/llm/tokenizer/tokenizer.h>
#include <executorch/extension/llm/tokenizer/utf8.h>

namespace tokenizers {

Result<std::string> Tokenizer::decode_batch(const std::vector<uint64_t>& tokens,
                                            bool skip_special_tokens) const {
  std::string text;
  uint64_t previous = bos_tok_;
  for (const uint64_t token : tokens) {
    const auto piece = decode(previous, token, skip_special_tokens);
    if (!piece.ok()) {
      return piece.error();
    }
    text += *piece;
    previous = token;
  }
  return valid_utf8(text);
}

}  // namespace tokenizers
