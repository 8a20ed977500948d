#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <executorch/extension/llm/tokenizer/json_fields.h>
#include <executorch/extension/llm/tokenizer/normalizer.h>
#include <executorch/extension/llm/tokenizer/prefix_index.h>
#include <executorch/extension/llm/tokenizer/regex.h>

namespace tokenizers {

/// Tokens that are found in a text before the model sees the rest: special ones and others.
class AddedTokens {
 public:
  struct Token {
    std::string content;
    uint64_t id;
    bool special;
    bool single_word;
    bool takes_left;  // White space on its left, and on its right, is part of it.
    bool takes_right;
    bool normalized;
  };

  /// A part of a text: a token, or text without any.
  struct Segment {
    Range range;
    const Token* token;
  };

  /// The `added_tokens` of a `tokenizer.json`. @returns false, with the reason, for others.
  bool read(const Json& config, const Normalizer* normalizer, std::string& why);

  /// Tokens that have no flags.
  bool add(const std::string& content, uint64_t id);

  /// After the last add().
  void finish();

  /// Null for a token that is none of these.
  const Token* find(uint64_t id) const;
  const Token* find(const std::string& content) const;

  const std::vector<Token>& tokens() const { return tokens_; }

  /// Divides a text at the tokens that are found in text that is normalized, or in one that is not.
  ///
  /// @param allowed If given, others are text.
  std::vector<Segment> divide(std::string_view text, bool normalized,
                              const std::vector<std::string>* allowed = nullptr) const;

 private:
  bool stands_alone(std::string_view text, Range range) const;

  std::vector<Token> tokens_;
  std::unordered_map<uint64_t, size_t> by_id_;
  PrefixIndex as_they_are_;
  PrefixIndex normalized_;
  std::unique_ptr<Regex> word_;
};

}  // namespace tokenizers
