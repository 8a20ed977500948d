#pragma once

#include <memory>
#include <string>
#include <vector>

#include <executorch/extension/llm/tokenizer/json_fields.h>
#include <executorch/runtime/core/error.h>

namespace tokenizers {

/// From the pieces of tokens to the parts of a text.
class TokenDecoder {
 public:
  virtual ~TokenDecoder() = default;

  /// @param raw Bytes that are no whole characters stay what they are; otherwise they are U+FFFD.
  [[nodiscard]] virtual executorch::runtime::Error decode(std::vector<std::string>& pieces,
                                                          bool raw) const = 0;
};

/// The decoder of a `tokenizer.json`.
///
/// @returns Null, with the reason, for one that is not known or not complete.
std::unique_ptr<TokenDecoder> read_token_decoder(const Json& config, std::string& why,
                                                 int depth = 0);

}  // namespace tokenizers
