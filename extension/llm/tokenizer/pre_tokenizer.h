#pragma once

#include <memory>
#include <string>
#include <vector>

#include <executorch/extension/llm/tokenizer/json_fields.h>
#include <executorch/runtime/core/error.h>

namespace tokenizers {

/// A part of a text, valid UTF-8.
struct Part {
  std::string text;
  bool first;  // Whether it begins where the whole text does.
};

/// Divides a text into what the model takes one by one: words, as a rule.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;

  /// Divides each of the parts further, or changes it. None is empty, before and after.
  [[nodiscard]] virtual executorch::runtime::Error divide(std::vector<Part>& parts) const = 0;
};

/// The pre-tokenizer of a `tokenizer.json`.
///
/// @returns Null, with the reason, for one that is not known or not complete.
std::unique_ptr<PreTokenizer> read_pre_tokenizer(const Json& config, std::string& why,
                                                 int depth = 0);

}  // namespace tokenizers
