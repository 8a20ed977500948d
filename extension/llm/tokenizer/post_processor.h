#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <executorch/extension/llm/tokenizer/json_fields.h>

namespace tokenizers {

/// The tokens that are put around those of a text.
class PostProcessor {
 public:
  /// The post-processor of a `tokenizer.json`. @returns false, with the reason, for one that is not
  /// known or not complete.
  bool read(const Json& config, std::string& why, int depth = 0);

  /// Whether there are any.
  bool adds_tokens() const;

  std::vector<uint64_t> around(std::vector<uint64_t> tokens) const;

 private:
  /// A token, or the place of the text's.
  struct Item {
    bool is_text;
    uint64_t token;
  };
  using Template = std::vector<Item>;

  bool read_template(const Json& config, std::string& why);
  bool read_around(const Json& config, std::string& why);

  std::vector<Template> templates_;  // One around the other, the innermost first.
};

}  // namespace tokenizers
