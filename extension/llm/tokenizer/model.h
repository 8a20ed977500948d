#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <executorch/extension/llm/tokenizer/json_fields.h>
#include <executorch/runtime/core/error.h>

namespace tokenizers {

/// Both ways between pieces and tokens.
class Vocabulary {
 public:
  /// @returns false for a token that another piece has, or that is out of all proportion.
  bool add(const std::string& piece, uint64_t token);

  /// @returns false for a piece that is none.
  bool find(std::string_view piece, uint64_t& token) const;

  /// Null for a token that is none.
  const std::string* piece_of(uint64_t token) const;

  size_t size() const { return tokens_.size(); }
  void reserve(size_t count) { tokens_.reserve(count); }

 private:
  // The nodes of the map stay where they are, so the views do.
  std::unordered_map<std::string, uint64_t> tokens_;
  std::unordered_map<uint64_t, const std::string*> pieces_;
};

/// Divides a word into tokens.
class Model {
 public:
  virtual ~Model() = default;

  /// Appends the tokens of a word, valid text that is not empty.
  [[nodiscard]] virtual executorch::runtime::Error tokenize(
      std::string_view word, std::vector<uint64_t>& tokens) const = 0;

  const Vocabulary& vocabulary() const { return vocabulary_; }

 protected:
  Vocabulary vocabulary_;
};

/// The model of a `tokenizer.json`: BPE, Unigram, WordPiece or WordLevel.
///
/// @returns Null, with the reason, for one that is not known or not complete.
std::unique_ptr<Model> read_model(const Json& config, std::string& why);

/// The kinds of it.
std::unique_ptr<Model> read_bpe(const Json& config, std::string& why);
std::unique_ptr<Model> read_unigram(const Json& config, std::string& why);
std::unique_ptr<Model> read_word_piece(const Json& config, std::string& why);
std::unique_ptr<Model> read_word_level(const Json& config, std::string& why);

/// Reads {"piece": token, ...}.
bool read_vocabulary(const Json& config, Vocabulary& vocabulary, std::string& why);

/// The tokens "<0x00>" to "<0xFF>" of the bytes of a text. @returns false if one of them is
/// missing.
bool tokens_of_bytes(std::string_view text, const Vocabulary& vocabulary,
                     std::vector<uint64_t>& tokens);

}  // namespace tokenizers
