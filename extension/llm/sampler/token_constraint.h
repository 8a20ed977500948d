#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <executorch/extension/llm/sampler/pattern.h>

namespace executorch {
namespace extension {
namespace llm {

/// What each token of a vocabulary adds to a text, in the order of their bytes.
class VocabularyTexts {
 public:
  /// @param texts Of each token by its number; empty for those that are no text.
  explicit VocabularyTexts(std::vector<std::string> texts);

  size_t size() const { return texts_.size(); }
  const std::string& text(size_t token) const { return texts_[token]; }
  const std::vector<int32_t>& in_order() const { return in_order_; }

 private:
  std::vector<std::string> texts_;
  /// Tokens with a text.
  std::vector<int32_t> in_order_;
};

/// Which tokens may come next, so that the text matches a pattern in the end.
class TokenConstraint {
 public:
  /// @param ends Tokens that end a text: allowed where the text matches.
  TokenConstraint(Pattern pattern, std::shared_ptr<const VocabularyTexts> vocabulary,
                  std::unordered_set<uint64_t> ends)
      : pattern_(std::move(pattern)), vocabulary_(std::move(vocabulary)), ends_(std::move(ends)) {}

  /// Whether a token may be the next one; one byte for each token of the vocabulary.
  const std::vector<uint8_t>& allowed();

  /// The text goes on with this token, which was allowed.
  void accept(uint64_t token);

  /// The lowest logit.
  template <typename T>
  static T lowest() {
    if constexpr (std::is_integral_v<T>) {
      return std::numeric_limits<T>::min();
    } else {
      return static_cast<T>(-std::numeric_limits<float>::infinity());
    }
  }

  /// Lowers the logits of tokens that may not come.
  ///
  /// @returns Whether there is one that may.
  template <typename T>
  bool mask(T* logits, size_t count) {
    const std::vector<uint8_t>& may = allowed();
    bool any = false;
    for (size_t i = 0; i < count; ++i) {
      if (i < may.size() && may[i] != 0) {
        any = true;
      } else {
        logits[i] = lowest<T>();
      }
    }
    return any;
  }

 private:
  std::vector<uint8_t> find_allowed(Pattern::State state);

  Pattern pattern_;
  std::shared_ptr<const VocabularyTexts> vocabulary_;
  std::unordered_set<uint64_t> ends_;
  Pattern::State state_ = 0;
  bool has_ended_ = false;
  std::unordered_map<Pattern::State, std::vector<uint8_t>> known_;
};

}  // namespace llm
}  // namespace extension
}  // namespace executorch
