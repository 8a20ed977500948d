#pragma once

#include <memory>
#include <string>

#include <executorch/extension/llm/tokenizer/json_fields.h>
#include <executorch/runtime/core/error.h>

namespace tokenizers {

/// What is done to a text before it is divided.
class Normalizer {
 public:
  virtual ~Normalizer() = default;

  /// The text is valid UTF-8, before and after.
  [[nodiscard]] virtual executorch::runtime::Error normalize(std::string& text) const = 0;
};

/// The normalizer of a `tokenizer.json`.
///
/// @returns Null, with the reason, for one that is not known or not complete.
std::unique_ptr<Normalizer> read_normalizer(const Json& config, std::string& why, int depth = 0);

}  // namespace tokenizers
