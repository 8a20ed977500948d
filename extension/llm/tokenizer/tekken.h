#pragma once

#include <string>

#include <executorch/extension/llm/tokenizer/tiktoken.h>

namespace tokenizers {

/// The `tekken.json` of Mistral's models. Special tokens have the numbers in front of the others;
/// in the text of encode() they are found by their names, in that of encode_allowing() the allowed
/// ones alone.
class Tekken : public Tiktoken {
 public:
  /// AccessFailed for a file that cannot be read, InvalidExternalData for one that is no such file;
  /// then it is as it was.
  Error load(const std::string& tokenizer_path) override;

  /// Of the format, such as "v7"; empty before load().
  const std::string& get_version() const { return version_; }

  /// Whether the beginning of a file, which is JSON, is that of such a file.
  static bool is_beginning_of(const std::string& text);

 private:
  std::string version_;
};

}  // namespace tokenizers
